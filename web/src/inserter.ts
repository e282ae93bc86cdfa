import { element, make, makeButton } from "./elements";
import type { Command, EventChoices, Vector3, WireSlot } from "./protocol";

/** Most names that are listed of each kind. */
const LISTED = 400;

/** The dialog in which a node, a PROTO or something ready to use is chosen and put into the file. */
export class Inserter {
  private readonly dialog = element("insert", HTMLDialogElement);
  private readonly search = element("insert-search", HTMLInputElement);
  private readonly field = element("insert-field", HTMLSelectElement);
  private readonly list = element("insert-list", HTMLElement);
  private slots: WireSlot[] = [];
  private path: string | null = null;
  private wanted = "";

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
    element("insert-title", HTMLElement).textContent = `Add to ${event.title}`;
    this.field.replaceChildren(...this.slots.map((slot, k) => new Option(slot.field, String(k))));
    this.field.hidden = this.slots.length < 2;
    const first = this.slots.findIndex((slot) => slot.field === this.wanted);
    this.field.value = String(Math.max(first, 0));
    this.search.value = "";
    this.fill();
    this.dialog.showModal();
    this.search.focus();
  }

  private get slot(): WireSlot | undefined {
    return this.slots[Number(this.field.value)];
  }

  private fill(): void {
    const { slot } = this;
    const text = this.search.value.trim();
    if (!slot) {
      this.list.replaceChildren(make("p", { className: "faint" }, "Nothing more fits into this node."));
      return;
    }
    if (text.includes("{")) {
      this.list.replaceChildren(makeButton("Add these nodes", () => this.insert(text)));
      return;
    }
    const kinds: [string, string[]][] = [["Ready to use", slot.ready], ["Nodes", slot.nodes], ["PROTOs", slot.protos]];
    const parts = kinds.flatMap(([title, names]) => {
      const found = names.filter((name) => name.toLowerCase().includes(text.toLowerCase())).slice(0, LISTED);
      if (!found.length) return [];
      const buttons = found.map((name) => makeButton(name, () => this.insert(name)));
      return [make("h3", {}, title), make("div", { className: "names" }, ...buttons)];
    });
    this.list.replaceChildren(...(parts.length ? parts : [make("p", { className: "faint" }, "Nothing here has that name. Nodes can also be pasted as text, such as Solid { }.")]));
  }

  private insert(what: string): void {
    const { slot, path } = this;
    if (!slot || path === null) return;
    const target = path ? `${path}.${slot.field}` : "";
    this.send({ command: "insert", path: target, what, at: this.place() });
    this.dialog.close();
  }
}
