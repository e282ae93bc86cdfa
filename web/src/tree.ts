import { element, make } from "./elements";
import type { CommandMove, WireNode, WireOutline } from "./protocol";
import { t } from "./language";

/** Most hits of a search that are listed. */
const HITS = 200;

/** Where a dragged node would go, seen from the one below the pointer. */
type Where = CommandMove["where"];

/** Share of a line, at its top and at its bottom, that stands for "before" and "after". */
const EDGE = 0.3;

interface Branch {
  node: WireNode;
  index: number;
  children: number[];
  item: HTMLLIElement | null;
  label: HTMLButtonElement | null;
  list: HTMLUListElement | null;
}

/** The nodes of the file as a tree; branches are made when they are opened. */
export class TreePanel {
  private branches: Branch[] = [];
  private selected: number | null = null;
  private readonly root = element("tree", HTMLElement);
  private readonly search = element("tree-search", HTMLInputElement);

  private dragged: WireNode | null = null;
  private isEditable = false;
  /** The focus was in a tree that is gone: it belongs to the node that is selected next. */
  private hadFocus = false;

  constructor(
    private readonly onSelect: (index: number, node: WireNode) => void,
    private readonly onMove: (path: string, target: string, where: Where) => void,
  ) {
    this.search.oninput = () => this.fill();
    this.root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /**
   * List the nodes of a scene, and mark again what was marked: the node of `link`, the marked body if it is still there;
   * else, if only values differ, the node at the same place; else the one of that name at that place. Returns that node.
   */
  show(outline: WireOutline, link: number | null): WireNode | null {
    const before = this.selected === null ? null : this.branches[this.selected]!.node;
    const isSameForm = outline.nodes.length === this.branches.length && outline.nodes.every(({ kind }, k) => kind === this.branches[k]!.node.kind);
    this.branches = outline.nodes.map((node, index) => ({ node, index, children: [], item: null, label: null, list: null }));
    this.branches.forEach(({ node, index }) => {
      if (node.parent !== null) this.branches[node.parent]!.children.push(index);
    });
    this.selected = null;
    this.hadFocus ||= this.root.contains(document.activeElement);
    this.isEditable = outline.editable;
    this.fill();
    if (!before) return null;
    const isAgain = (node: WireNode): boolean =>
      before.link !== null && link !== null ? node.link === link : node.path === before.path && (isSameForm || (node.kind === before.kind && node.title === before.title));
    const again = this.branches.find(({ node }) => isAgain(node));
    if (again) this.select(again.index);
    return again?.node ?? null;
  }

  /** Whether a node is marked. */
  get hasSelection(): boolean {
    return this.selected !== null;
  }

  /** Row of the node that became a link, or null. */
  findLink(link: number): number | null {
    const found = this.branches.findIndex(({ node }) => node.link === link);
    return found < 0 ? null : found;
  }

  /** Row of the node at a path of the file, or null. */
  findPath(path: string): number | null {
    const found = this.branches.findIndex(({ node }) => node.path === path);
    return found < 0 ? null : found;
  }

  /** Mark a node and bring it into sight; null marks none. */
  select(index: number | null): void {
    const before = this.selected === null ? null : this.branches[this.selected];
    before?.label?.setAttribute("aria-selected", "false");
    this.selected = index;
    if (index === null) return;
    if (!this.search.value) this.reveal(index);
    const { label } = this.branches[index]!;
    label?.setAttribute("aria-selected", "true");
    if (this.hadFocus && document.activeElement === document.body) label?.focus();
    this.hadFocus = false;
    this.scroll();
  }

  /** Bring the marked node into sight. */
  scroll(): void {
    if (this.selected !== null) this.branches[this.selected]?.label?.scrollIntoView({ block: "nearest" });
  }

  private fill(): void {
    this.branches.forEach((branch) => (branch.item = branch.label = branch.list = null));
    const words = this.search.value.trim().toLowerCase();
    const list = make("ul", {});
    list.setAttribute("role", "tree");
    if (words) {
      const hits = this.branches.filter(({ node }) => `${node.title} ${node.kind}`.toLowerCase().includes(words));
      hits.slice(0, HITS).forEach((branch) => list.append(this.makeItem(branch, true)));
      if (!hits.length) list.append(make("li", { className: "faint" }, t("Nothing found")));
    } else {
      if (!this.branches.length) list.append(make("li", { className: "faint" }, t("Nothing is in this scene.")));
      this.branches.filter(({ node }) => node.parent === null).forEach((branch) => list.append(this.makeItem(branch, false)));
    }
    this.root.replaceChildren(list);
  }

  private makeItem(branch: Branch, isHit: boolean): HTMLLIElement {
    const { node, index, children } = branch;
    const label = make("button", { className: "node", testId: "node" }, make("span", { className: "name" }, node.title), make("span", { className: "faint" }, node.kind));
    label.type = "button";
    label.setAttribute("role", "treeitem");
    label.setAttribute("aria-selected", String(index === this.selected));
    label.dataset.index = String(index);
    label.onclick = () => {
      this.select(index);
      this.onSelect(index, node);
    };
    label.ondblclick = () => this.toggle(branch);
    if (this.isEditable && node.path && !isHit) this.makeMovable(label, node);
    const item = make("li", {});
    if (children.length && !isHit) {
      const arrow = make("button", { className: "arrow", label: t("Open or close {0}", node.title) }, "▸");
      arrow.type = "button";
      arrow.tabIndex = -1;
      arrow.onclick = () => this.toggle(branch);
      item.append(arrow);
      label.setAttribute("aria-expanded", "false");
    }
    item.append(label);
    branch.item = item;
    branch.label = label;
    return item;
  }

  /** Let a node be dragged to another place, and others to it. */
  private makeMovable(label: HTMLButtonElement, node: WireNode): void {
    const place = (event: DragEvent): Where | null => {
      const { dragged } = this;
      if (!dragged || node.path === dragged.path || node.path.startsWith(`${dragged.path}.`)) return null;
      const share = event.offsetY / label.clientHeight;
      const hasSides = sidesOf(node.path) !== null;
      return hasSides && share < EDGE ? "before" : hasSides && share > 1 - EDGE ? "after" : "into";
    };
    label.draggable = true;
    label.ondragstart = (event) => {
      this.dragged = node;
      event.dataTransfer?.setData("text/plain", node.title);
    };
    label.ondragend = () => (this.dragged = null);
    label.ondragover = (event) => {
      const where = place(event);
      if (where) event.preventDefault(); // it may be dropped here
      label.dataset.drop = where ?? "";
    };
    label.ondragleave = () => (label.dataset.drop = "");
    label.ondrop = (event) => {
      event.preventDefault();
      const where = place(event);
      label.dataset.drop = "";
      if (where && this.dragged) this.onMove(this.dragged.path, node.path, where);
      this.dragged = null;
    };
  }

  /** Move a node by the keyboard: up and down in its list, into the node before it, out of the one that holds it. */
  private moveByKey(key: string, { node }: Branch): void {
    const sides = sidesOf(node.path);
    const holder = node.parent === null ? null : this.branches[node.parent]!.node.path;
    if (key === "ArrowUp" && sides?.before) this.onMove(node.path, sides.before, "before");
    if (key === "ArrowDown" && sides) this.onMove(node.path, sides.after, "after");
    if (key === "ArrowRight" && sides?.before) this.onMove(node.path, sides.before, "into");
    if (key === "ArrowLeft" && holder && sidesOf(holder)) this.onMove(node.path, holder, "after");
  }

  private toggle(branch: Branch, isOpen = branch.list === null || Boolean(branch.list.hidden)): void {
    if (!branch.item || !branch.children.length) return;
    if (!branch.list) {
      branch.list = make("ul", {});
      branch.list.setAttribute("role", "group");
      branch.children.forEach((child) => branch.list!.append(this.makeItem(this.branches[child]!, false)));
      branch.item.append(branch.list);
    }
    branch.list.hidden = !isOpen;
    branch.item.classList.toggle("open", isOpen);
    branch.label?.setAttribute("aria-expanded", String(isOpen));
  }

  /** Open all branches above a node. */
  private reveal(index: number): void {
    const above: Branch[] = [];
    for (let at = this.branches[index]!.node.parent; at !== null; at = this.branches[at]!.node.parent) {
      above.unshift(this.branches[at]!);
    }
    above.forEach((branch) => this.toggle(branch, true));
  }

  private onKey(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLButtonElement) || target.dataset.index === undefined) return;
    const branch = this.branches[Number(target.dataset.index)]!;
    const shown = [...this.root.querySelectorAll<HTMLButtonElement>("button.node")].filter((item) => item.offsetParent);
    const at = shown.indexOf(target);
    const actions: Record<string, () => void> = {
      ArrowDown: () => shown[at + 1]?.focus(),
      ArrowUp: () => shown[at - 1]?.focus(),
      ArrowRight: () => this.toggle(branch, true),
      ArrowLeft: () => this.toggle(branch, false),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.altKey) action();
    else if (this.isEditable && branch.node.path) this.moveByKey(event.key, branch);
  }
}

/** Paths of the items before and after the one at a path; null = it is alone in its field. */
function sidesOf(path: string): { before: string | null; after: string } | null {
  const at = path.lastIndexOf(".") + 1;
  const number = path.slice(at);
  if (!/^\d+$/.test(number)) return null;
  const beside = (k: number): string => path.slice(0, at) + String(k);
  return { before: Number(number) > 0 ? beside(Number(number) - 1) : null, after: beside(Number(number) + 1) };
}
