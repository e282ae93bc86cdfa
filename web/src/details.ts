import type { Quaternion, Vector3 as Point } from "three";
import { onAngleUnit } from "./angles";
import { element, make, makeButton, numberText } from "./elements";
import { asShown, asWritten, isSamePose, poseText, shownUnit } from "./field_units";
import { t } from "./language";
import { fieldHelper } from "./spinners";
import type { Command, EventClipped, EventEdited, EventFields, Vector3, WireField, WireNode, WireOutline } from "./protocol";

/** How often the place of the selected body is written [ms]. */
const PLACE_PERIOD = 150;

/** Where a body is drawn, and how it is turned. */
export interface ShownPose {
  position: Point;
  rotation: Quaternion;
}

/** The present value beside a field that tells where its body starts. */
interface PresentRow {
  field: WireField;
  row: HTMLElement;
  text: HTMLElement;
}

/** What the panel asks of the rest of the page. */
export interface DetailActions {
  send(command: Command): void;
  /** Choose something to add to the node at a path, to a field of it. */
  add(path: string, field: string): void;
  /** Where in the world something new should be put. */
  place(): Vector3;
}

/** What is selected: mass properties of its body, and the fields of its node to be edited. */
export class DetailPanel {
  private outline: WireOutline | null = null;
  private path = "";
  /** Whether it was selected in the picture: what is added then goes into the world, not into the floor. */
  private isPicked = false;
  /** The node that was copied last, as text. */
  private clipped = "";
  /** Name of the field that was edited last. */
  private edited = "";
  private readonly body = element("body-details", HTMLElement);
  private readonly place = make("td", { testId: "body-place" });
  private latest: ShownPose | null = null;
  private presents: PresentRow[] = [];
  /** Whether the node is at the top of the file: then its fields and the picture speak of the same frame. */
  private isTop = false;
  private shown: WireField[] = [];
  private timer = 0;
  private readonly fields = element("fields", HTMLElement);
  private readonly doc = element("field-doc", HTMLElement);
  private readonly answer = element("edit-answer", HTMLElement);
  private readonly undo = element("undo", HTMLButtonElement);
  private readonly redo = element("redo", HTMLButtonElement);
  private readonly add = element("add-node", HTMLButtonElement);
  private readonly copy = element("copy-node", HTMLButtonElement);
  private readonly remove = element("remove-node", HTMLButtonElement);

  private isFilled = false;

  /** `onFilled` is called when the fields of a node that was selected have taken their room. */
  constructor(
    private readonly actions: DetailActions,
    private readonly onFilled: () => void,
  ) {
    this.undo.onclick = () => actions.send({ command: "undo" });
    this.redo.onclick = () => actions.send({ command: "redo" });
    this.add.onclick = () => actions.add(this.isPicked ? "" : this.path, "children");
    this.copy.onclick = () => actions.send({ command: "copy", path: this.path });
    this.remove.onclick = () => actions.send({ command: "remove", path: this.path });
    document.addEventListener("keydown", (event) => this.onKey(event));
    document.addEventListener("paste", (event) => this.onPaste(event));
    onAngleUnit(() => this.fill(this.shown));
  }

  show(outline: WireOutline): void {
    this.outline = outline;
    element("edit-tools", HTMLElement).hidden = !outline.editable;
  }

  /** Show a node, or nothing; what was said about the last edit goes, unless the node is new by it. */
  select(node: WireNode | null, isNew = false, isPicked = false): void {
    this.path = node?.path ?? "";
    this.isPicked = isPicked;
    this.isFilled = false;
    this.doc.textContent = "";
    if (!isNew) this.answer.textContent = "";
    this.fill([]);
    this.isTop = node !== null && node.link !== null && /^\d+$/.test(node.path);
    this.copy.disabled = this.remove.disabled = this.path === "";
    this.add.title = this.path && !isPicked ? t("Add a node to the selected one") : t("Add a node to the world");
    this.showBody(node);
    if (node?.path) this.actions.send({ command: "fields", path: node.path });
  }

  /** The scene was loaded anew: show what is selected now; fields stay until the new ones come. */
  renew(node: WireNode | null): void {
    if (!node?.path) return this.select(node, true);
    this.path = node.path;
    this.isTop = node.link !== null && /^\d+$/.test(node.path);
    this.showBody(node);
    this.actions.send({ command: "fields", path: node.path });
  }

  showFields(event: EventFields): void {
    if (event.path !== this.path) return;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.testid : undefined;
    this.fill(event.fields);
    if (!this.isFilled) this.onFilled(); // not after every edit: somebody may have scrolled the tree since
    this.isFilled = true;
    if (focused?.startsWith("field-")) this.fields.querySelector<HTMLElement>(`[data-testid="${CSS.escape(focused)}"]`)?.focus();
  }

  private fill(fields: WireField[]): void {
    this.shown = fields;
    this.presents = [];
    this.fields.replaceChildren(...fields.flatMap((field) => [this.makeField(field), ...this.makePresent(field)]));
    this.writePlace();
  }

  /** Below the place where a body starts: where it is now, and a button that lets it start there. */
  private makePresent(field: WireField): HTMLElement[] {
    if (!this.isTop || !field.editable || (field.name !== "translation" && field.name !== "rotation")) return [];
    const text = make("span", { className: "held", testId: `now-${field.name}` });
    const button = makeButton(t("Start here"), () => this.latest && this.edit(field, poseText(field.name, this.latest)), t("Let the body start where it is now"));
    button.dataset.testid = `start-${field.name}`;
    const row = make("div", { className: "present faint" }, make("span", {}, t("now")), text, button);
    row.hidden = true;
    this.presents.push({ field, row, text });
    return [row];
  }

  /** Show how an edit went. */
  showEdited(event: EventEdited): void {
    this.answer.textContent = event.text;
    this.answer.classList.toggle("bad", event.is_error);
    this.undo.disabled = event.undo === "";
    this.redo.disabled = event.redo === "";
    this.undo.title = event.undo ? t("Undo: {0} (Ctrl+Z)", event.undo) : t("Nothing to undo");
    this.redo.title = event.redo ? t("Redo: {0} (Ctrl+Y)", event.redo) : t("Nothing to redo");
    if (event.is_error) this.markRefused(event.text);
    else if (this.path) this.actions.send({ command: "fields", path: this.path });
  }

  /** A node was copied: it can be pasted here, and as text elsewhere. */
  showClipped(event: EventClipped): void {
    this.clipped = event.text;
    this.answer.textContent = t("{0} was copied.", event.name);
    this.answer.classList.remove("bad");
    // not where the page is shown without encryption to other machines, or users do not allow it
    navigator.clipboard?.writeText(event.text).catch(() => undefined);
  }

  /** What was refused stays as it was typed, with what is wrong with it. */
  private markRefused(text: string): void {
    const input = this.edited && this.fields.querySelector<HTMLElement>(`[data-testid="${CSS.escape(`field-${this.edited}`)}"]`);
    if (!input) return;
    input.setAttribute("aria-invalid", "true");
    input.title = text;
  }

  private onPaste(event: ClipboardEvent): void {
    if (isWriting(event.target) || !this.isEditable) return;
    const text = event.clipboardData?.getData("text/plain").trim() ?? "";
    const isOwn = !text.includes("{") || text === this.clipped.trim();
    if (isOwn && !this.clipped) return;
    event.preventDefault();
    this.actions.send({ command: "paste", text: isOwn ? "" : text, at: this.actions.place() });
  }

  private get isEditable(): boolean {
    return !element("edit-tools", HTMLElement).hidden && !document.querySelector("dialog[open]");
  }

  private onKey(event: KeyboardEvent): void {
    if (isWriting(event.target)) return;
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && event.key === "c" && this.path && this.isEditable && window.getSelection()?.isCollapsed !== false) {
      this.actions.send({ command: "clip", path: this.path });
      return;
    }
    const isRedo = event.key === "y" || (event.key === "Z" && event.shiftKey);
    const button = isControl ? (isRedo ? this.redo : event.key === "z" ? this.undo : event.key === "d" ? this.copy : null) : event.key === "Delete" ? this.remove : null;
    if (!button || button.disabled || element("edit-tools", HTMLElement).hidden) return;
    event.preventDefault();
    button.click();
  }

  /** Show where the selected body is now; a few times a second can be read. */
  showPose(pose: ShownPose | null): void {
    this.latest = pose;
    if (!this.timer) this.timer = window.setTimeout(() => this.writePlace(), PLACE_PERIOD);
  }

  private writePlace(): void {
    this.timer = 0;
    const { latest } = this;
    this.place.textContent = latest ? `${latest.position.toArray().map((x) => x.toFixed(3)).join(", ")} m` : "";
    for (const { field, row, text } of this.presents) {
      row.hidden = latest === null || isSamePose(field, latest);
      if (!row.hidden) text.textContent = asShown({ ...field, value: poseText(field.name, latest!) });
    }
  }

  private showBody(node: WireNode | null): void {
    const mass = this.outline?.masses.find((item) => item.link === node?.link && node?.link !== null);
    if (!node || !mass) {
      this.body.replaceChildren();
      return;
    }
    const [xx, yy, zz, xy, xz, yz] = mass.inertia.map(numberText);
    const rows: [string, string][] = [
      [t("Mass"), `${numberText(mass.mass)} kg`],
      [t("Centre of mass"), `${mass.center.map(numberText).join(", ")} m`],
      ["Ixx Iyy Izz", `${xx}, ${yy}, ${zz} kg·m²`],
      ["Ixy Ixz Iyz", `${xy}, ${xz}, ${yz} kg·m²`],
    ];
    const lines = rows.map(([name, value]) => make("tr", {}, make("th", {}, name), make("td", {}, value)));
    lines.unshift(make("tr", {}, make("th", {}, t("Position now")), this.place));
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
      if (!isFull) row.append(makeButton("+", () => this.actions.add(this.path, field.name), t("Add a node to {0}", field.name)));
      return row;
    }
    const input = field.type === "SFBool" ? this.makeSwitch(field) : field.choices.length ? this.makeChoice(field) : this.makeInput(field);
    input.onfocus = () => this.showDoc(field);
    row.append(input);
    if (field.editable && input instanceof HTMLInputElement) {
      const helper = fieldHelper(field, input, (value) => this.edit(field, asWritten(field, value)));
      if (helper) row.append(helper);
    }
    if (field.unit && field.type !== "SFBool") row.append(make("span", { className: "unit faint" }, shownUnit(field)));
    if (!isDefault && field.editable) row.append(makeButton("↺", () => this.edit(field, field.default), t("Set {0} to its default, {1}", field.name, field.default || "empty")));
    return row;
  }

  private makeInput(field: WireField): HTMLInputElement {
    const input = make("input", { testId: `field-${field.name}`, label: field.name, title: helpText(field) });
    input.value = asShown(field);
    input.disabled = !field.editable;
    input.spellcheck = false;
    input.autocomplete = "off";
    input.onchange = () => this.edit(field, asWritten(field, input.value));
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key !== "Escape") return;
      input.value = asShown(field);
      input.removeAttribute("aria-invalid");
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
    this.edited = field.name;
    this.actions.send({ command: "edit", path: `${this.path}.${field.name}`, value });
  }

  /** Explain the field under the mouse or with the focus. */
  private showDoc(field: WireField): void {
    const facts = [field.type, field.unit && `[${field.unit}]`, field.allowed, !field.type.endsWith("Node") && `default ${field.default || "empty"}`];
    this.doc.replaceChildren(make("b", {}, field.name), ` ${facts.filter(Boolean).join(", ")}. `, field.doc);
  }
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

function helpText(field: WireField): string {
  return `${field.doc} ${field.type}${field.allowed ? `, ${field.allowed}` : ""}`;
}
