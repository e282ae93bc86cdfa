import { element, make } from "./elements";
import type { WireNode, WireOutline } from "./protocol";

/** Most hits of a search that are listed. */
const HITS = 200;

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

  constructor(private readonly onSelect: (index: number, node: WireNode) => void) {
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
    this.fill();
    if (!before) return null;
    const isAgain = (node: WireNode): boolean =>
      before.link !== null && link !== null ? node.link === link : node.path === before.path && (isSameForm || (node.kind === before.kind && node.title === before.title));
    const again = this.branches.find(({ node }) => isAgain(node));
    if (again) this.select(again.index);
    return again?.node ?? null;
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
    this.branches[index]!.label?.setAttribute("aria-selected", "true");
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
      if (!hits.length) list.append(make("li", { className: "faint" }, "Nothing found"));
    } else {
      if (!this.branches.length) list.append(make("li", { className: "faint" }, "Nothing is in this scene."));
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
    const item = make("li", {});
    if (children.length && !isHit) {
      const arrow = make("button", { className: "arrow", label: `Open or close ${node.title}` }, "▸");
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
    action();
  }
}
