import { element, make, makeButton } from "./elements";
import { t } from "./language";
import type { Command, EventChoices, Vector3, WireSlot, WireThing } from "./protocol";
import type { Thumbnails } from "./thumbnails";

/** Most things that are listed at a time. */
const LISTED = 300;

/** The group of all things, and that of files of the folder. */
const ALL = "*";
const FILES = "files";

/** The group that a search leaves out of sight until it is asked for. */
const READY = "Ready to use";

/** Groups that stand before the others, the first one last. */
const FIRST = ["Robots", FILES, "Of this project", READY];

/** One thing that can be put into a field: a name of the list, or a file of the folder. */
interface Choice extends WireThing {
  isFile: boolean;
}

/** The dialog in which a node, a PROTO or something ready to use is chosen and put into the file. */
export class Inserter {
  private readonly dialog = element("insert", HTMLDialogElement);
  private readonly search = element("insert-search", HTMLInputElement);
  private readonly field = element("insert-field", HTMLSelectElement);
  private readonly groups = element("insert-groups", HTMLElement);
  private readonly list = element("insert-list", HTMLElement);
  private slots: WireSlot[] = [];
  private things = new Map<string, WireThing>();
  private models: string[] = [];
  private path: string | null = null;
  private wanted = "";
  private group = READY;
  private thumbnails: Promise<Thumbnails> | null = null;
  private readonly seen: IntersectionObserver;

  constructor(
    private readonly send: (command: Command) => void,
    private readonly place: () => Vector3,
  ) {
    this.search.oninput = this.field.onchange = () => this.fill();
    this.search.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.list.querySelector<HTMLButtonElement>("button")?.click();
    };
    element("insert-close", HTMLButtonElement).onclick = () => this.dialog.close();
    this.dialog.addEventListener("close", () => void this.thumbnails?.then((pictures) => pictures.stop()));
    // pictures are made of what is on the screen
    this.seen = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && this.paint(entry.target as HTMLElement)), { root: this.list });
  }

  /** Ask what fits into a node, at first into one of its fields; an empty path is the world. */
  open(path: string, field = ""): void {
    this.path = path;
    this.wanted = field;
    this.send({ command: "choices", path });
  }

  /** Show what fits. */
  show(event: EventChoices): void {
    if (event.path !== this.path) return; // another tab has asked
    this.slots = event.slots.filter((slot) => !slot.is_full);
    this.things = new Map(event.things.map((thing) => [thing.name, thing]));
    this.models = event.models;
    element("insert-title", HTMLElement).textContent = t("Add to {0}", event.title);
    this.field.replaceChildren(...this.slots.map((slot, k) => new Option(slot.field, String(k))));
    this.field.hidden = this.slots.length < 2;
    const first = this.slots.findIndex((slot) => slot.field === this.wanted);
    this.field.value = String(Math.max(first, 0));
    this.search.value = "";
    this.group = event.path ? ALL : READY;
    this.fill();
    this.dialog.showModal();
    this.search.focus();
  }

  private get slot(): WireSlot | undefined {
    return this.slots[Number(this.field.value)];
  }

  /** All that fits into the chosen field. */
  private get choices(): Choice[] {
    const { slot } = this;
    if (!slot) return [];
    const names = this.path ? [...slot.nodes, ...slot.ready, ...slot.protos] : [...slot.ready, ...slot.protos, ...slot.nodes];
    const listed = names.map((name) => ({ ...(this.things.get(name) ?? { name, group: "Nodes", what: "" }), isFile: false }));
    return [...listed, ...this.models.map((name) => ({ name, group: FILES, what: t("a file of the folder"), isFile: true }))];
  }

  private fill(): void {
    const { slot, choices } = this;
    const text = this.search.value.trim();
    this.seen.disconnect();
    this.list.scrollTop = 0;
    if (!slot) {
      this.groups.replaceChildren();
      this.list.replaceChildren(make("p", { className: "faint" }, t("Nothing more fits into this node.")));
      return;
    }
    if (text.includes("{")) {
      this.groups.replaceChildren();
      this.list.replaceChildren(makeButton(t("Add these nodes"), () => this.insert(text)));
      return;
    }
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = choices.filter(({ name, group, what }) => words.every((word) => `${name} ${group} ${what}`.toLowerCase().includes(word)));
    // what is called so comes before what only speaks of it
    const rank = ({ name }: Choice): number => (words.length && name.toLowerCase().startsWith(words[0]!) ? 0 : words.some((word) => name.toLowerCase().includes(word)) ? 1 : 2);
    if (words.length) found.sort((a, b) => rank(a) - rank(b));
    this.fillGroups(found, words.length > 0);
    const shown = found.filter(({ group }) => this.group === ALL || group === this.group).slice(0, LISTED);
    const nothing = t("Nothing here has that name. Nodes can also be pasted as text, such as Solid { }.");
    this.list.replaceChildren(...(shown.length ? shown.map((choice) => this.makeCard(choice)) : [make("p", { className: "faint" }, nothing)]));
    for (const card of this.list.children) this.seen.observe(card);
  }

  /** List the groups with how much is in each; a search looks through all of them. */
  private fillGroups(found: Choice[], isSearch: boolean): void {
    const counts = new Map<string, number>();
    for (const { group } of found) counts.set(group, (counts.get(group) ?? 0) + 1);
    if (isSearch) this.group = ALL;
    else if (!counts.has(this.group)) this.group = counts.keys().next().value ?? ALL;
    const names = [...counts.keys()].sort((a, b) => (FIRST.indexOf(b) - FIRST.indexOf(a)) || a.localeCompare(b));
    const title = (group: string): string => (group === ALL ? t("Everything") : group === FILES ? t("Files of the folder") : t(group));
    const buttons = [ALL, ...names].map((group) => {
      const count = group === ALL ? found.length : counts.get(group)!;
      const button = makeButton("", () => {
        this.group = group;
        if (isSearch && group !== ALL) this.search.value = "";
        this.fill();
      });
      button.dataset.testid = `insert-group-${group}`;
      button.setAttribute("aria-label", title(group));
      button.setAttribute("aria-pressed", String(group === this.group));
      button.append(make("span", {}, title(group)), make("span", { className: "faint" }, String(count)));
      return button;
    });
    this.groups.replaceChildren(...buttons);
  }

  private makeCard({ name, what, isFile }: Choice): HTMLElement {
    const card = make("button", { className: "thing", testId: "thing", label: name, title: what });
    card.type = "button";
    card.dataset.name = isFile ? "" : name;
    card.onclick = () => (isFile ? this.take(name) : this.insert(name));
    const title = isFile ? name.slice(name.lastIndexOf("/") + 1) : name;
    card.append(make("span", { className: "thumbnail" }), make("b", {}, title), make("span", { className: "faint" }, what));
    return card;
  }

  /** Draw what a card stands for, once it is in sight. */
  private paint(card: HTMLElement): void {
    this.seen.unobserve(card);
    const { name } = card.dataset;
    if (!name) return;
    this.thumbnails ??= import("./thumbnails").then(({ Thumbnails }) => new Thumbnails());
    void this.thumbnails.then((pictures) => card.isConnected && pictures.draw(name, card.querySelector<HTMLElement>(".thumbnail")!));
  }

  private insert(what: string): void {
    const { slot, path } = this;
    if (!slot || path === null) return;
    const target = path ? `${path}.${slot.field}` : "";
    this.send({ command: "insert", path: target, what, at: this.place() });
    this.dialog.close();
  }

  private take(name: string): void {
    this.send({ command: "import", name, at: this.place() });
    this.dialog.close();
  }
}
