import { served } from "./addresses";
import { ask } from "./asking";
import type { TextEditor } from "./editor";
import { element } from "./elements";
import { t } from "./language";
import { TEXT_PATH, VERSION_HEADER } from "./protocol";
import type { Command, EventPrograms, WireText } from "./protocol";

/** Begins the choice that makes a program for a robot. */
const OFFER = "\u0000new ";

const LANGUAGES: Record<string, "python" | "c" | "cpp"> = { Python: "python", C: "c", "C++": "cpp" };

/** What the panel needs of the rest of the page. */
export interface CodeActions {
  send(command: Command): void;
  /** Open the panel. */
  open(): void;
  isOpen(): boolean;
  /** Read the world again, after a question if there are edits by hand. */
  reloadWorld(): void;
}

/** Edits programs of robots and the world as text; the editor itself is loaded when it is first needed. */
export class CodePanel {
  private readonly choice = element("code-text", HTMLSelectElement);
  private readonly answer = element("code-answer", HTMLElement);
  private readonly always = element("programs-always", HTMLInputElement);
  private editor: Promise<TextEditor> | null = null;
  private texts: WireText[] = [];
  private shown = "";
  private version = "";
  private saved = "";
  private text = "";
  private changed: string[] = [];
  /** The robot whose first program is being written; empty = none. */
  private awaited = "";
  private refused = "";

  constructor(private readonly actions: CodeActions) {
    this.choice.onchange = () => void (this.choice.value.startsWith(OFFER) ? this.begin(this.choice.value.slice(OFFER.length)) : this.show(this.choice.value));
    element("code-save", HTMLButtonElement).onclick = () => void this.save();
    element("programs-restart", HTMLButtonElement).onclick = () => this.restart(this.changed);
    element("programs-keep", HTMLButtonElement).onclick = () => {
      this.refused = this.changed.join();
      this.showChanged();
    };
    this.always.onchange = () => this.showChanged();
    const panel = element("code-panel", HTMLElement);
    // what is typed here is meant for nothing else
    panel.addEventListener("keydown", (event) => this.onKey(event));
    for (const name of ["keyup", "paste", "copy"] as const) panel.addEventListener(name, (event) => event.stopPropagation());
    window.addEventListener("beforeunload", (event) => {
      if (this.isChanged) event.preventDefault();
    });
  }

  /** Another connection: what was told before may hold no more. */
  clear(): void {
    this.changed = [];
    this.showChanged();
  }

  take(event: EventPrograms): void {
    this.texts = event.texts;
    element("code-button", HTMLElement).hidden = !event.texts.length && !event.without.length;
    const options = event.texts.map(({ name, robots }) => new Option(robots.length ? `${robots.join(", ")}: ${shortName(name)}` : shortName(name), name));
    const offers = event.without.map((robot) => new Option(t("New program for {0}…", robot), `${OFFER}${robot}`));
    this.choice.replaceChildren(...options, ...offers);
    const made = event.texts.find(({ robots }) => robots.includes(this.awaited));
    if (made) {
      this.awaited = "";
      void this.show(made.name);
    }
    if (event.texts.some(({ name }) => name === this.shown)) this.choice.value = this.shown;
    else if (!this.isChanged) this.shown = "";
    this.changed = event.changed;
    if (event.changed.length && this.always.checked) this.restart(event.changed);
    const shown = event.texts.find(({ name }) => name === this.shown);
    if (shown?.robots.some((robot) => event.changed.includes(robot)) && !this.isChanged) void this.reread();
    this.showChanged();
    this.showIfOpen();
  }

  /** The panel may have been opened. */
  showIfOpen(): void {
    if (!this.actions.isOpen() || this.shown || !this.texts.length) return;
    // programs are edited more often than worlds
    void this.show((this.texts.find(({ robots }) => robots.length) ?? this.texts[0]!).name);
  }

  /** Let a robot have a program of its own, which is shown when it is there. */
  private async begin(robot: string): Promise<void> {
    this.choice.value = this.shown;
    const language = await ask(t("In which language is the program of {0} written?", robot), Object.keys(LANGUAGES));
    if (language === null) return;
    this.awaited = robot;
    this.actions.send({ command: "program", robot, language: LANGUAGES[language]! });
  }

  /** Open a text at a line that a message names; false if it is none of ours. */
  goTo(path: string, line: number): boolean {
    const found = this.textOf(path);
    if (!found) return false;
    this.actions.open();
    void this.show(found.name, line);
    return true;
  }

  /** The text that a path of a message names. */
  textOf(path: string): WireText | undefined {
    return this.texts.find(({ name }) => path === name || path.replaceAll("\\", "/").endsWith(`/${name}`));
  }

  private get isChanged(): boolean {
    return this.shown !== "" && this.text !== this.saved;
  }

  private async show(name: string, line = 0): Promise<void> {
    if (name !== this.shown) {
      if (this.isChanged && (await ask(t("{0} has changes that are not saved.", shortName(this.shown)), ["Discard the changes", "Cancel"])) !== "Discard the changes") {
        this.choice.value = this.shown;
        return;
      }
      const response = await fetch(`${served(TEXT_PATH)}?name=${encodeURIComponent(name)}`);
      const text = await response.text();
      if (!response.ok) return this.say(text, true);
      this.shown = this.choice.value = name;
      this.version = response.headers.get(VERSION_HEADER) ?? "";
      this.saved = this.text = text;
      this.say("");
      this.showState();
      (await this.load()).show(text, name.slice(name.lastIndexOf(".") + 1));
    }
    if (line > 0) (await this.load()).goTo(line);
  }

  /** Show the text as it is in the file now. */
  private reread(): Promise<void> {
    const name = this.shown;
    this.shown = "";
    return this.show(name);
  }

  /** The editor, loaded when it is first needed. */
  private load(): Promise<TextEditor> {
    this.editor ??= import("./editor").then(({ TextEditor }) => {
      return new TextEditor(element("code-host", HTMLElement), (text) => {
        this.text = text;
        this.showState();
      });
    });
    return this.editor;
  }

  private async save(): Promise<void> {
    const { shown: name, text } = this;
    const entry = this.texts.find((item) => item.name === name);
    if (!entry) return;
    if (text !== this.saved) {
      const response = await fetch(`${served(TEXT_PATH)}?name=${encodeURIComponent(name)}`, { method: "PUT", headers: { [VERSION_HEADER]: this.version }, body: text });
      if (response.status === 409) {
        const choice = await ask(await response.text(), ["Overwrite", "Read it again", "Cancel"]);
        if (choice === "Cancel" || choice === null) return;
        if (choice === "Overwrite") await this.takeVersion(name);
        else this.shown = "";
        return choice === "Overwrite" ? this.save() : this.show(name);
      }
      if (!response.ok) return this.say(await response.text(), true);
      this.version = response.headers.get(VERSION_HEADER) ?? "";
      this.saved = text;
      this.showState();
    }
    (await this.load()).unmark();
    if (entry.robots.length) this.restart(entry.robots);
    else this.actions.reloadWorld();
    this.say(entry.robots.length ? t("Saved; the program of {0} begins anew.", entry.robots.join(", ")) : t("Saved; the world is read again."));
  }

  /** What is there now may be overwritten. */
  private async takeVersion(name: string): Promise<void> {
    const response = await fetch(`${served(TEXT_PATH)}?name=${encodeURIComponent(name)}`);
    this.version = response.headers.get(VERSION_HEADER) ?? "";
  }

  private restart(robots: string[]): void {
    if (robots.length) this.actions.send({ command: "restart", robots });
    this.changed = [];
    this.showChanged();
  }

  private onKey(event: KeyboardEvent): void {
    event.stopPropagation();
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    void this.save();
  }

  private showState(): void {
    element("code-unsaved", HTMLElement).hidden = !this.isChanged;
    const isWorld = !this.texts.find(({ name }) => name === this.shown)?.robots.length;
    element("code-save", HTMLButtonElement).textContent = isWorld ? t("Save and read") : t("Save and restart");
  }

  private showChanged(): void {
    if (!this.changed.length) this.refused = "";
    const isAsking = this.changed.length > 0 && this.changed.join() !== this.refused;
    element("programs", HTMLElement).hidden = !isAsking;
    element("programs-text", HTMLElement).textContent = t("The program of {0} was changed: restart it?", this.changed.join(", "));
  }

  private say(text: string, isBad = false): void {
    this.answer.textContent = text.trim();
    this.answer.classList.toggle("bad", isBad);
  }
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
