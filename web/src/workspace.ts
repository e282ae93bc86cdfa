import { served } from "./addresses";
import { CodePanel } from "./code";
import { switchAngleUnit, angleUnit, onAngleUnit } from "./angles";
import { DetailPanel } from "./details";
import type { ShownPose } from "./details";
import { Dock } from "./dock";
import { download } from "./download";
import { Files } from "./files";
import { Inserter } from "./inserter";
import { element } from "./elements";
import { JointList } from "./joints";
import { Labels } from "./labels";
import { MessagePanel } from "./messages";
import { PlotPanel, scalarsOf } from "./plots";
import { OUTLINE_PATH } from "./protocol";
import type { Command, EventEdited, EventReadings, Vector3, WireNode, WireOutline, WireScene, WorkEvent } from "./protocol";
import { Pictures, SensorList } from "./sensors";
import { TreePanel } from "./tree";
import { WindowPanel } from "./windows";

/** What the panels need of the rest of the page. */
export interface WorkspaceActions {
  send(command: Command): void;
  /** A link was selected in the tree; null = none. */
  onSelect(link: number | null): void;
  /** Which link is marked in the picture; null = none. */
  selected(): number | null;
  onContacts(contacts: number[]): void;
  /** The panels know the scene. */
  onOutline(outline: WireOutline): void;
  /** The scene has changed. */
  onReload(): void;
  /** Where in the world something new should be put. */
  place(): Vector3;
  /** Something new was put into the world and is selected. */
  onNew(): void;
  /** What controllers want to be told of their users. */
  onInputs(kinds: string[]): void;
}

/** All panels beside the picture. */
export class Workspace {
  readonly dock = new Dock();
  private readonly joints: JointList;
  private readonly plots: PlotPanel;
  private readonly pictures: Pictures;
  private readonly sensors: SensorList;
  private readonly messages: MessagePanel;
  private readonly tree: TreePanel;
  private readonly details: DetailPanel;
  private readonly inserter: Inserter;
  private readonly labels = new Labels();
  readonly files: Files;
  private readonly code: CodePanel;
  private readonly windows: WindowPanel;
  private outline: WireOutline | null = null;
  private timer = 0;
  private wantsContacts = false;
  private ticket = "";
  private newPath: string | null = null;

  constructor(private readonly actions: WorkspaceActions) {
    this.files = new Files((command) => actions.send(command));
    const watch = (): void => this.watch();
    this.code = new CodePanel({
      send: (command) => actions.send(command),
      open: () => this.dock.set("code", true),
      isOpen: () => this.dock.isOpen("code"),
      reloadWorld: () => this.files.reload(),
    });
    this.joints = new JointList(element("joints-list", HTMLElement), (command) => actions.send(command));
    const unit = element("joints-unit", HTMLButtonElement);
    const showUnit = (): void => void (unit.textContent = angleUnit());
    unit.onclick = switchAngleUnit;
    onAngleUnit(showUnit);
    showUnit();
    this.plots = new PlotPanel(watch);
    const plot = (key: string): void => {
      this.dock.set("plots", true);
      this.plots.add(key);
    };
    this.pictures = new Pictures(watch);
    this.sensors = new SensorList(element("sensors-list", HTMLElement), this.pictures, plot);
    const search = element("sensors-search", HTMLInputElement);
    search.oninput = () => this.sensors.search(search.value);
    this.messages = new MessagePanel(
      () => this.dock.isOpen("console"),
      (path) => this.selectPath(path),
      (path) => this.outline?.nodes.find((node) => node.path === path)?.title ?? path,
      this.code,
    );
    this.tree = new TreePanel(
      (_, node) => this.choose(node),
      (path, target, where) => actions.send({ command: "move", path, target, where }),
    );
    this.inserter = new Inserter((command) => actions.send(command), () => actions.place());
    this.details = new DetailPanel(
      {
        send: (command) => actions.send(command),
        add: (path, field) => this.inserter.open(path, field),
        place: () => actions.place(),
      },
      () => this.tree.scroll(),
    );
    this.windows = new WindowPanel(
      () => this.dock.isOpen("windows"),
      {
        send: (command) => actions.send(command),
        note: (robot, text) => this.messages.add({ event: "message", level: "warning", source: robot, text, path: "" }),
        plot,
        pictures: this.pictures,
        onChange: watch,
      },
    );
    element("lost-undo", HTMLButtonElement).onclick = () => actions.send({ command: "undo" });
    element("lost-close", HTMLButtonElement).onclick = () => this.showLost("");
    this.dock.onChange(() => {
      this.watch();
      this.messages.showBadge();
      this.code.showIfOpen();
      this.windows.showBadge();
    });
  }

  /** The page has another scene: load what the panels list. */
  async load(scene: WireScene): Promise<void> {
    const response = await fetch(served(OUTLINE_PATH));
    if (!response.ok) return;
    const outline = (await response.json()) as WireOutline;
    this.outline = outline;
    this.files.showScene(scene.title);
    this.joints.show(outline.joints);
    this.plots.show(scalarsOf(outline, scene));
    this.sensors.show(outline.devices);
    this.pictures.keep(outline.devices);
    this.messages.showRobots(outline.robots);
    this.windows.show(outline);
    this.details.show(outline);
    const kept = this.tree.show(outline, this.actions.selected());
    this.actions.onOutline(outline);
    if (kept) this.actions.onSelect(kept.link);
    if (this.newPath !== null) {
      this.selectPath(this.newPath, true);
      this.actions.onNew();
    } else this.details.renew(kept);
    this.newPath = null;
    this.watch();
  }

  /** A new connection: the server tells all messages again. */
  greet(): void {
    this.messages.clear();
    this.showLost("");
    this.code.clear();
    this.windows.clear();
    this.labels.clear();
    this.actions.onInputs([]);
  }

  /** Commands arrive again: say what is watched. */
  connect(): void {
    this.files.connect();
    this.watch();
  }

  take(event: WorkEvent): void {
    switch (event.event) {
      case "readings":
        this.takeReadings(event);
        break;
      case "message":
        this.messages.add(event);
        break;
      case "fields":
        this.details.showFields(event);
        break;
      case "edited":
        this.takeEdited(event);
        break;
      case "clipped":
        this.details.showClipped(event);
        break;
      case "lost":
        this.showLost(event.text);
        break;
      case "choices":
        this.inserter.show(event);
        break;
      case "reload":
        this.actions.onReload();
        break;
      case "labels":
        this.labels.show(event);
        break;
      case "window":
        this.windows.add(event);
        break;
      case "inputs":
        this.actions.onInputs(event.kinds);
        break;
      case "document":
      case "stored":
      case "files":
      case "opening":
        this.files.take(event);
        break;
      case "programs":
        this.code.take(event);
        break;
      case "saved":
        if (event.ticket === this.ticket) download(event.name, new Blob([event.text], { type: "text/plain" }));
        break;
    }
  }

  takePicture(device: number, jpeg: Blob): void {
    this.pictures.draw(device, jpeg);
  }

  /** A body was selected in the picture; null = none. */
  selectLink(link: number | null): void {
    const row = link === null ? null : this.tree.findLink(link);
    this.tree.select(row);
    const node = row === null ? null : this.outline!.nodes[row]!;
    this.details.select(node, false, true);
    this.tellSelection(node);
  }

  /** Whether something can be added to the file on show. */
  get isEditable(): boolean {
    return this.outline?.editable === true;
  }

  /** Whether a node is selected, whether or not it is a body. */
  get hasSelection(): boolean {
    return this.tree.hasSelection;
  }

  /** Ask for the file with the present state; it is downloaded when it comes. */
  save(): void {
    this.ticket = String(Math.random());
    this.actions.send({ command: "save", ticket: this.ticket });
  }

  /** Show where the selected body is now, and how it is turned. */
  showPose(pose: ShownPose | null): void {
    this.details.showPose(pose);
  }

  showContacts(isOn: boolean): void {
    this.wantsContacts = isOn;
    this.watch();
  }

  private selectPath(path: string, isNew = false): void {
    const row = this.tree.findPath(path);
    if (row === null) return;
    this.dock.set("scene", true);
    this.tree.select(row);
    this.choose(this.outline!.nodes[row]!, isNew);
  }

  /** The file was changed, maybe by another tab; what is new is selected when the scene comes. */
  private takeEdited(event: EventEdited): void {
    if (event.path) this.newPath = event.path;
    if (!event.is_error) this.showLost("");
    if (event.text && !this.dock.isOpen("scene")) this.files.say(event.text, event.is_error);
    this.details.showEdited(event);
  }

  /** A body has left the scene after it was pulled: say so, and offer the way back; empty = it is there again. */
  private showLost(text: string): void {
    element("lost", HTMLElement).hidden = text === "";
    element("lost-text", HTMLElement).textContent = text;
  }

  private choose(node: WireNode, isNew = false): void {
    this.details.select(node, isNew);
    this.actions.onSelect(node.link);
    this.tellSelection(node);
  }

  /** Supervisors may ask what is selected. */
  private tellSelection(node: WireNode | null): void {
    this.actions.send({ command: "select", path: node?.path ?? "" });
  }

  private takeReadings(event: EventReadings): void {
    const values = new Map(event.keys.map((key, k) => [key, event.values[k] ?? null]));
    this.joints.update(event.joints);
    this.plots.update(event.time, values);
    this.sensors.update(values);
    this.windows.update(event, values);
    if (this.wantsContacts) this.actions.onContacts(event.contacts);
  }

  /** Tell the server what is on show, once for all changes of this moment. */
  private watch(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const listed = this.dock.isOpen("sensors") ? this.sensors.keys : [];
      const plotted = this.dock.isOpen("plots") ? this.plots.keys : [];
      this.actions.send({
        command: "watch",
        joints: this.dock.isOpen("joints") || this.windows.wantsJoints,
        contacts: this.wantsContacts,
        scalars: [...new Set([...plotted, ...listed, ...this.windows.keys])].slice(0, 64),
        pictures: this.pictures.devices,
      });
    }, 0);
  }
}
