import { element, make, makeButton, numberText } from "./elements";
import type { Command, EventEdited, EventFields, WireField, WireNode, WireOutline } from "./protocol";

/** What is selected: mass properties of its body, and the fields of its node to be edited. */
export class DetailPanel {
  private outline: WireOutline | null = null;
  private path = "";
  private readonly body = element("body-details", HTMLElement);
  private readonly fields = element("fields", HTMLElement);
  private readonly answer = element("edit-answer", HTMLElement);
  private readonly undo = element("undo", HTMLButtonElement);
  private readonly redo = element("redo", HTMLButtonElement);

  constructor(private readonly send: (command: Command) => void) {
    this.undo.onclick = () => this.send({ command: "undo" });
    this.redo.onclick = () => this.send({ command: "redo" });
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
      const isRedo = event.key === "y" || (event.key === "Z" && event.shiftKey);
      const button = isRedo ? this.redo : event.key === "z" ? this.undo : null;
      if (!button || button.disabled) return;
      event.preventDefault();
      button.click();
    });
  }

  show(outline: WireOutline): void {
    this.outline = outline;
    element("edit-tools", HTMLElement).hidden = !outline.editable;
  }

  /** Show a node, or nothing. */
  select(node: WireNode | null): void {
    this.path = node?.path ?? "";
    this.answer.textContent = "";
    this.fields.replaceChildren();
    this.showBody(node);
    if (node?.path) this.send({ command: "fields", path: node.path });
  }

  showFields(event: EventFields): void {
    if (event.path !== this.path) return;
    this.fields.replaceChildren(...event.fields.map((field) => this.makeField(field)));
  }

  /** Show how an edit went. */
  showEdited(event: EventEdited): void {
    this.answer.textContent = event.text;
    this.answer.classList.toggle("bad", event.is_error);
    this.undo.disabled = event.undo === "";
    this.redo.disabled = event.redo === "";
    this.undo.title = event.undo ? `Undo: ${event.undo} (Ctrl+Z)` : "Nothing to undo";
    this.redo.title = event.redo ? `Redo: ${event.redo} (Ctrl+Y)` : "Nothing to redo";
    if (this.path) this.send({ command: "fields", path: this.path });
  }

  private showBody(node: WireNode | null): void {
    const mass = this.outline?.masses.find((item) => item.link === node?.link && node?.link !== null);
    if (!node || !mass) {
      this.body.replaceChildren();
      return;
    }
    const [xx, yy, zz, xy, xz, yz] = mass.inertia.map(numberText);
    const rows: [string, string][] = [
      ["Mass", `${numberText(mass.mass)} kg`],
      ["Centre of mass", `${mass.center.map(numberText).join(", ")} m`],
      ["Inertia xx yy zz", `${xx}, ${yy}, ${zz} kg·m²`],
      ["Inertia xy xz yz", `${xy}, ${xz}, ${yz} kg·m²`],
    ];
    const lines = rows.map(([name, value]) => make("tr", {}, make("th", {}, name), make("td", {}, value)));
    this.body.replaceChildren(make("table", { testId: "body-table" }, ...lines));
  }

  private makeField(field: WireField): HTMLElement {
    const isDefault = field.value === field.default;
    const help = `${field.type}${field.doc ? `, ${field.doc}` : ""}; default ${field.default || "empty"}`;
    const name = make("label", { className: isDefault ? "faint" : "name", title: help }, field.name);
    const input = make("input", { testId: `field-${field.name}`, label: field.name, title: help });
    input.value = field.value;
    input.disabled = !field.editable;
    input.spellcheck = false;
    input.onchange = () => this.send({ command: "edit", path: `${this.path}.${field.name}`, value: input.value });
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Escape") {
        input.value = field.value;
        input.blur();
      }
    };
    const row = make("div", { className: "field-row" }, name, input);
    if (!isDefault && field.editable) {
      const back = makeButton("↺", () => this.send({ command: "edit", path: `${this.path}.${field.name}`, value: field.default }), `Set ${field.name} to its default`);
      row.append(back);
    }
    return row;
  }
}
