import { ask } from "./asking";
import { element, make, makeButton } from "./elements";
import type { Command, CommandNew, CommandOpen, EventDocument, EventFiles, EventOpening, EventStored, WireFile } from "./protocol";
import { t } from "./language";

/** How long an answer stays over the picture [ms]. */
const ANSWER_TIME = 4000;

/** What a new file can begin with. */
const KINDS: { kind: CommandNew["kind"]; title: string; what: string; name: string }[] = [
  { kind: "empty", title: "Empty", what: "light and sky, nothing else", name: "world" },
  { kind: "arena", title: "Arena", what: "a floor with low walls", name: "arena" },
  { kind: "room", title: "Room", what: "two walls, a table, a box", name: "room" },
  { kind: "wheels", title: "Robot on wheels", what: "a project with its program", name: "my_robot" },
  { kind: "arm", title: "Arm", what: "three joints, a project with its program", name: "my_arm" },
  { kind: "drone", title: "Drone", what: "four propellers, a project with its program", name: "my_drone" },
];

/** Kinds that come with a program. */
const ROBOTS = new Set<string>(["wheels", "arm", "drone"]);

/** Opens, makes and saves files of the folder that the server was given. */
export class Files {
  private document: EventDocument | null = null;
  private name = "";
  private list: EventFiles | null = null;
  private refusedDisk = "";
  private timer = 0;
  private isConnected = false;
  private hasOffered = false;
  private afterSaving: (() => void) | null = null;
  /** Name of a file that was dropped, until the list of the folder comes. */
  private wanted = "";
  /** What is being opened, while the connection changes to it; empty = nothing. */
  opening = "";

  private readonly menu = element("file-menu", HTMLElement) as HTMLDetailsElement;
  private readonly open = element("open", HTMLDialogElement);
  private readonly search = element("open-search", HTMLInputElement);
  private readonly fresh = element("new", HTMLDialogElement);
  private readonly newName = element("new-name", HTMLInputElement);
  private readonly saveAs = element("save-as", HTMLDialogElement);
  private readonly saveName = element("save-as-name", HTMLInputElement);
  private kind = KINDS[1]!;

  constructor(private readonly send: (command: Command) => void) {
    this.click("file-open", () => this.askForList());
    this.click("file-new", () => this.showNew());
    this.click("file-save", () => this.save());
    this.click("file-save-as", () => this.showSaveAs());
    this.click("file-save-state", () => this.store("", true));
    this.click("file-reload", () => this.reload());
    this.click("open-new", () => {
      this.open.close();
      this.showNew();
    });
    this.click("disk-read", () => this.reload());
    this.click("disk-keep", () => {
      this.refusedDisk = this.document?.disk ?? "";
      this.showDisk();
    });
    for (const [name, dialog] of [["open", this.open], ["new", this.fresh], ["save-as", this.saveAs]] as const) {
      this.click(`${name}-close`, () => dialog.close());
    }
    this.search.oninput = () => this.fill();
    this.search.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      element("open-list", HTMLElement).querySelector<HTMLButtonElement>("button")?.click();
    };
    element("new-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      this.make();
    };
    element("save-as-form", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      this.store(this.saveName.value.trim(), false);
    };
    document.addEventListener("keydown", (event) => this.onKey(event), true);
    window.addEventListener("beforeunload", (event) => {
      if (this.document?.is_changed && !this.opening) event.preventDefault();
    });
  }

  /** Take what the server tells of files. */
  take(event: EventDocument | EventStored | EventFiles | EventOpening): void {
    if (event.event === "document") this.showDocument(event);
    else if (event.event === "stored") void this.showStored(event);
    else if (event.event === "files") this.showList(event);
    else this.showOpening(event);
  }

  /** The scene on show has this name now. */
  showScene(title: string): void {
    this.name = title;
    this.showTitle();
  }

  /** A connection is there: what was being opened is on show, or the old file still is. */
  connect(): void {
    this.opening = "";
    this.isConnected = true;
    this.offer();
  }

  /** Offer what can be opened to a user who has not chosen anything yet. */
  private offer(): void {
    if (!this.isConnected || this.hasOffered || !this.document?.is_start) return;
    this.hasOffered = true;
    this.askForList();
  }

  /** Read the file again; edits are lost only if the user says so. */
  reload(): void {
    this.guard(t("Reading the file again takes back all changes since it was saved."), () => this.send({ command: "reload" }));
  }

  private click(id: string, action: () => void): void {
    element(id, HTMLButtonElement).onclick = () => {
      this.menu.open = false;
      action();
    };
  }

  private onKey(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !this.document) return;
    const key = event.key.toLowerCase();
    if (key !== "s" && key !== "o") return;
    if (event.target instanceof Element && event.target.closest("#code-panel")) return; // that text is saved
    event.preventDefault();
    event.stopPropagation();
    if (document.querySelector("dialog[open]")) return;
    // what is being typed counts
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
    if (key === "o") this.askForList();
    else if (event.shiftKey) this.showSaveAs();
    else this.save();
  }

  // ------------------------------------------------------------------ saving

  private save(): void {
    if (this.document?.remark) this.showSaveAs(this.document.remark);
    else this.store("", false);
  }

  private store(name: string, state: boolean, overwrite = false): void {
    this.send({ command: "store", name, state, overwrite });
  }

  private async showStored(event: EventStored): Promise<void> {
    if (event.asks) {
      const answer = await ask(event.text, ["Overwrite", "Cancel"]);
      if (answer === "Overwrite") this.store(event.name, event.state, true);
      else this.afterSaving = null;
      return;
    }
    if (event.is_error) {
      this.afterSaving = null;
      if (this.saveAs.open) element("save-as-answer", HTMLElement).textContent = event.text;
      else this.say(event.text, true);
      return;
    }
    this.saveAs.close();
    this.say(event.text);
    const next = this.afterSaving;
    this.afterSaving = null;
    next?.();
  }

  private showSaveAs(why = ""): void {
    if (!this.document) return;
    element("save-as-folder", HTMLElement).textContent = `${this.document.folder} /`;
    element("save-as-answer", HTMLElement).textContent = why;
    this.saveName.value = this.document.name;
    this.saveAs.showModal();
    const stem = this.saveName.value.lastIndexOf("/") + 1;
    this.saveName.setSelectionRange(stem, this.saveName.value.length - (this.saveName.value.endsWith(".wbt") ? 4 : 0));
  }

  /** Do something that loses edits, after asking if there are some. */
  private guard(what: string, action: () => void): void {
    if (!this.document?.is_changed) return action();
    void ask(t("{0} {1} has changes that are not saved.", what, this.document.name), ["Save", "Discard the changes", "Cancel"]).then((answer) => {
      if (answer === "Discard the changes") action();
      if (answer !== "Save") return;
      this.afterSaving = action;
      this.save();
    });
  }

  // ------------------------------------------------------------------ opening

  private askForList(): void {
    if (!this.document?.opens) return this.say(t("Other files cannot be opened on this page."), true);
    this.send({ command: "files" });
  }

  private showList(event: EventFiles): void {
    this.list = event;
    if (this.wanted && this.openWanted(event)) return;
    element("open-answer", HTMLElement).textContent = "";
    this.search.value = "";
    this.fill();
    if (!this.open.open) this.open.showModal();
    this.search.focus();
  }

  private fill(): void {
    const { list } = this;
    if (!list) return;
    const words = this.search.value.trim().toLowerCase();
    const sections: [string, CommandOpen["kind"], WireFile[]][] = [
      [t("Opened lately"), "recent", list.recent],
      [t("In {0}", list.folder), "folder", list.files],
      [t("Examples"), "example", list.examples],
    ];
    const parts = sections.flatMap(([title, kind, files]) => {
      const found = files.filter((file) => `${file.name} ${file.what}`.toLowerCase().includes(words));
      if (!found.length) return [];
      return [make("h3", {}, title), make("div", { className: "rows" }, ...found.map((file) => this.makeRow(kind, file)))];
    });
    const nothing = words ? t("No file has that name.") : t("There is no world or robot in {0} yet.", list.folder);
    element("open-list", HTMLElement).replaceChildren(...(parts.length ? parts : [make("p", { className: "faint" }, nothing)]));
  }

  private makeRow(kind: CommandOpen["kind"], file: WireFile): HTMLElement {
    const shown = kind === "recent" ? file.what : file.name;
    const beside = kind === "recent" ? file.name : kind === "folder" ? "" : file.what;
    const row = makeButton("", () => this.choose(kind, file.name), t("Open {0}", file.name));
    row.className = "row";
    row.dataset.testid = `open-${kind}`;
    row.append(make("b", {}, shown), make("span", { className: "faint" }, beside));
    return row;
  }

  private choose(kind: CommandOpen["kind"], name: string): void {
    this.guard(t("Opening another file closes this one."), () => this.send({ command: "open", kind, name }));
  }

  /** Files dropped on the page are opened where they are in the folder: what they need is beside them. */
  openDropped(name: string): void {
    if (!this.document?.opens) return this.say(t("Other files cannot be opened on this page."), true);
    this.wanted = name;
    this.send({ command: "files" });
  }

  /** Open the one file of the folder that has the name of a dropped one. */
  private openWanted(list: EventFiles): boolean {
    const name = this.wanted;
    this.wanted = "";
    const found = list.files.filter((file) => file.name === name || file.name.endsWith(`/${name}`));
    if (found.length === 1) this.choose("folder", found[0]!.name);
    else if (!found.length) this.say(t("{0} is not in the folder “{1}”: put it there with the files that it needs.", name, list.folder), true);
    return found.length < 2;
  }

  // ------------------------------------------------------------------ new files

  private showNew(): void {
    if (!this.document?.opens) return this.say(t("Other files cannot be made on this page."), true);
    const kinds = KINDS.map((item) => {
      const input = make("input", { testId: `new-${item.kind}` });
      input.type = "radio";
      input.name = "kind";
      input.checked = item === this.kind;
      input.onchange = () => this.chooseKind(item);
      return make("label", { className: "kind" }, input, make("b", {}, t(item.title)), make("span", { className: "faint" }, t(item.what)));
    });
    element("new-kinds", HTMLElement).replaceChildren(...kinds);
    element("new-answer", HTMLElement).textContent = "";
    this.newName.value = "";
    this.chooseKind(this.kind);
    this.fresh.showModal();
    this.newName.focus();
    this.newName.select();
  }

  private chooseKind(item: (typeof KINDS)[number]): void {
    if (!this.newName.value || this.newName.value === this.kind.name) this.newName.value = item.name;
    this.kind = item;
    element("new-language-row", HTMLElement).hidden = !ROBOTS.has(item.kind);
  }

  private make(): void {
    const language = element("new-language", HTMLSelectElement).value as CommandNew["language"];
    const name = this.newName.value.trim();
    this.guard(t("A new file takes the place of this one."), () => this.send({ command: "new", kind: this.kind.kind, name, language }));
  }

  // ------------------------------------------------------------------ what is shown

  private showOpening(event: EventOpening): void {
    if (event.is_error) {
      const id = this.fresh.open ? "new-answer" : "open-answer";
      this.opening = "";
      if (this.fresh.open || this.open.open) element(id, HTMLElement).textContent = event.text;
      else this.say(event.text, true);
      this.hideOpening();
      return;
    }
    this.opening = event.text;
    for (const dialog of [this.open, this.fresh, this.saveAs]) dialog.close();
    const notice = element("notice", HTMLElement);
    notice.textContent = event.text;
    notice.hidden = false;
  }

  private hideOpening(): void {
    element("notice", HTMLElement).hidden = true;
  }

  private showDocument(event: EventDocument): void {
    if (event.disk === "same") this.refusedDisk = "";
    this.document = event;
    this.menu.hidden = false;
    element("unsaved", HTMLElement).hidden = !event.is_changed;
    element("file-save-state", HTMLButtonElement).disabled = event.remark !== "";
    for (const id of ["file-open", "file-new"]) element(id, HTMLButtonElement).hidden = !event.opens;
    element("file-place", HTMLElement).textContent = event.remark || `${event.folder} / ${event.name}`;
    this.showDisk();
    this.showTitle();
    this.offer();
  }

  private showDisk(): void {
    const disk = this.document?.disk ?? "same";
    element("disk", HTMLElement).hidden = disk === "same" || disk === this.refusedDisk;
    element("disk-read", HTMLElement).hidden = disk === "gone";
    const what = disk === "gone" ? t("is not on disk any more; saving writes it again.") : t("was changed on disk by another program.");
    element("disk-text", HTMLElement).textContent = `${this.document?.name} ${what}`;
  }

  private showTitle(): void {
    document.title = `${this.document?.is_changed ? "• " : ""}${this.name} · solidbody`;
  }

  /** Say something over the picture for a while. */
  say(text: string, isBad = false): void {
    const note = element("stored", HTMLElement);
    note.textContent = text;
    note.classList.toggle("bad", isBad);
    note.hidden = false;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (note.hidden = true), isBad ? 2 * ANSWER_TIME : ANSWER_TIME);
  }
}
