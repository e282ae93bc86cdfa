import { element, make, makeButton, numberText } from "./elements";
import type { Command, EventEdited, EventFields, Vector3, WireField, WireNode, WireOutline } from "./protocol";

/** How often the place of the selected body is written [ms]. */
const PLACE_PERIOD = 150;

/** What the panel asks of the rest of the page. */
export interface DetailActions {
  send(command: Command): void;
  /** Choose something to add to the node at a path, to a field of it. */
  add(path: string, field: string): void;
}

/** What is selected: mass properties of its body, and the fields of its node to be edited. */
export class DetailPanel {
  private outline: WireOutline | null = null;
  private path = "";
  private readonly body = element("body-details", HTMLElement);
  private readonly place = make("td", { testId: "body-place" });
  private latest: Vector3 | null = null;
  private timer = 0;
  private readonly fields = element("fields", HTMLElement);
  private readonly doc = element("field-doc", HTMLElement);
  private readonly answer = element("edit-answer", HTMLElement);
  private readonly undo = element("undo", HTMLButtonElement);
  private readonly redo = element("redo", HTMLButtonElement);
  private readonly add = element("add-node", HTMLButtonElement);
  private readonly copy = element("copy-node", HTMLButtonElement);
  private readonly remove = element("remove-node", HTMLButtonElement);

  /** `onFilled` is called when the fields have taken their room. */
  constructor(
    private readonly actions: DetailActions,
    private readonly onFilled: () => void,
  ) {
    this.undo.onclick = () => actions.send({ command: "undo" });
    this.redo.onclick = () => actions.send({ command: "redo" });
    this.add.onclick = () => actions.add(this.path, "children");
    this.copy.onclick = () => actions.send({ command: "copy", path: this.path });
    this.remove.onclick = () => actions.send({ command: "remove", path: this.path });
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  show(outline: WireOutline): void {
    this.outline = outline;
    element("edit-tools", HTMLElement).hidden = !outline.editable;
  }

  /** Show a node, or nothing; what was said about the last edit goes, unless the node is new by it. */
  select(node: WireNode | null, isNew = false): void {
    this.path = node?.path ?? "";
    this.doc.textContent = "";
    if (!isNew) this.answer.textContent = "";
    this.fields.replaceChildren();
    this.copy.disabled = this.remove.disabled = this.path === "";
    this.add.title = this.path ? "Add a node to the selected one" : "Add a node to the world";
    this.showBody(node);
    if (node?.path) this.actions.send({ command: "fields", path: node.path });
  }

  /** The scene was loaded anew: show what is selected now; fields stay until the new ones come. */
  renew(node: WireNode | null): void {
    if (!node?.path) return this.select(node, true);
    this.path = node.path;
    this.showBody(node);
    this.actions.send({ command: "fields", path: node.path });
  }

  showFields(event: EventFields): void {
    if (event.path !== this.path) return;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.testid : undefined;
    this.fields.replaceChildren(...event.fields.map((field) => this.makeField(field)));
    this.onFilled();
    if (focused?.startsWith("field-")) this.fields.querySelector<HTMLElement>(`[data-testid="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Show how an edit went. */
  showEdited(event: EventEdited): void {
    this.answer.textContent = event.text;
    this.answer.classList.toggle("bad", event.is_error);
    this.undo.disabled = event.undo === "";
    this.redo.disabled = event.redo === "";
    this.undo.title = event.undo ? `Undo: ${event.undo} (Ctrl+Z)` : "Nothing to undo";
    this.redo.title = event.redo ? `Redo: ${event.redo} (Ctrl+Y)` : "Nothing to redo";
    if (this.path) this.actions.send({ command: "fields", path: this.path });
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const isControl = event.ctrlKey || event.metaKey;
    const isRedo = event.key === "y" || (event.key === "Z" && event.shiftKey);
    const button = isControl ? (isRedo ? this.redo : event.key === "z" ? this.undo : null) : event.key === "Delete" ? this.remove : null;
    if (!button || button.disabled || element("edit-tools", HTMLElement).hidden) return;
    event.preventDefault();
    button.click();
  }

  /** Show where the selected body is now; a few times a second can be read. */
  showPlace(place: Vector3 | null): void {
    this.latest = place;
    if (!this.timer) this.timer = window.setTimeout(() => this.writePlace(), PLACE_PERIOD);
  }

  private writePlace(): void {
    this.timer = 0;
    this.place.textContent = this.latest ? `${this.latest.map((x) => x.toFixed(3)).join(", ")} m` : "";
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
      ["Ixx Iyy Izz", `${xx}, ${yy}, ${zz} kg·m²`],
      ["Ixy Ixz Iyz", `${xy}, ${xz}, ${yz} kg·m²`],
    ];
    const lines = rows.map(([name, value]) => make("tr", {}, make("th", {}, name), make("td", {}, value)));
    lines.unshift(make("tr", {}, make("th", {}, "Position now"), this.place));
    this.body.replaceChildren(make("table", { testId: "body-table" }, ...lines));
  }

  private makeField(field: WireField): HTMLElement {
    const isNode = field.type.endsWith("Node");
    const isDefault = field.value === field.default;
    const row = make("div", { className: "field-row" });
    const label = make("label", { className: isDefault ? "faint" : "name", title: helpText(field) }, field.name);
    row.append(label);
    row.onpointerenter = () => this.showDoc(field);
    if (isNode) {
      row.append(make("span", { className: "held faint", testId: `field-${field.name}` }, field.value || "none"));
      const isFull = field.type === "SFNode" && field.value !== "";
      if (!isFull) row.append(makeButton("+", () => this.actions.add(this.path, field.name), `Add a node to ${field.name}`));
      return row;
    }
    const input = field.type === "SFBool" ? this.makeSwitch(field) : field.choices.length ? this.makeChoice(field) : this.makeInput(field);
    input.onfocus = () => this.showDoc(field);
    row.append(input);
    if (field.unit && field.type !== "SFBool") row.append(make("span", { className: "unit faint" }, field.unit));
    if (!isDefault && field.editable) row.append(makeButton("↺", () => this.edit(field, field.default), `Set ${field.name} to its default, ${field.default || "empty"}`));
    return row;
  }

  private makeInput(field: WireField): HTMLInputElement {
    const input = make("input", { testId: `field-${field.name}`, label: field.name, title: helpText(field) });
    input.value = field.value;
    input.disabled = !field.editable;
    input.spellcheck = false;
    input.autocomplete = "off";
    input.onchange = () => this.edit(field, input.value);
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key !== "Escape") return;
      input.value = field.value;
      input.blur();
    };
    return input;
  }

  /** A list of the values that are allowed, and the present one if it is none of them. */
  private makeChoice(field: WireField): HTMLSelectElement {
    const select = make("select", { testId: `field-${field.name}`, label: field.name, title: helpText(field) });
    const values = field.choices.includes(field.value) ? field.choices : [field.value, ...field.choices];
    select.append(...values.map((value) => new Option(value, value)));
    select.value = field.value;
    select.disabled = !field.editable;
    select.onchange = () => this.edit(field, select.value);
    return select;
  }

  private makeSwitch(field: WireField): HTMLInputElement {
    const input = make("input", { testId: `field-${field.name}`, label: field.name, title: helpText(field) });
    input.type = "checkbox";
    input.checked = field.value === "TRUE";
    input.disabled = !field.editable;
    input.onchange = () => this.edit(field, input.checked ? "TRUE" : "FALSE");
    return input;
  }

  private edit(field: WireField, value: string): void {
    this.actions.send({ command: "edit", path: `${this.path}.${field.name}`, value });
  }

  /** Explain the field under the mouse or with the focus. */
  private showDoc(field: WireField): void {
    const facts = [field.type, field.unit && `[${field.unit}]`, field.allowed, !field.type.endsWith("Node") && `default ${field.default || "empty"}`];
    this.doc.replaceChildren(make("b", {}, field.name), ` ${facts.filter(Boolean).join(", ")}. `, field.doc);
  }
}

function helpText(field: WireField): string {
  return `${field.doc} ${field.type}${field.allowed ? `, ${field.allowed}` : ""}`;
}
