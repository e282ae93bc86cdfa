import { element, make, makeButton, numberText } from "./elements";
import type { WireDevice, WireOutline } from "./protocol";

/** A picture of a camera, range finder or lidar that floats over the view and can be moved. */
class PictureCard {
  readonly root: HTMLElement;
  private readonly canvas: HTMLCanvasElement;

  constructor(
    readonly device: WireDevice,
    place: number,
    remove: () => void,
  ) {
    this.canvas = make("canvas", { testId: `picture-${device.name}`, label: `Picture of ${device.name}` });
    this.canvas.width = 16;
    this.canvas.height = 9;
    const title = make("span", { className: "name" }, `${device.owner ? `${device.owner} · ` : ""}${device.name}`);
    const head = make("header", { title: "Drag, or use the arrow keys, to move the picture" }, title, makeButton("×", remove, `Close the picture of ${device.name}`));
    head.tabIndex = 0;
    this.root = make("section", { className: "card picture", label: `Picture of ${device.name}` }, head, this.canvas);
    this.moveTo(340 + 30 * place, 76 + 30 * place);
    this.letMove(head);
  }

  async draw(jpeg: Blob): Promise<void> {
    const picture = await createImageBitmap(jpeg);
    const { canvas } = this;
    if (canvas.width !== picture.width || canvas.height !== picture.height) {
      canvas.width = picture.width;
      canvas.height = picture.height;
    }
    canvas.getContext("2d")!.drawImage(picture, 0, 0);
    picture.close();
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  }

  private letMove(head: HTMLElement): void {
    head.onpointerdown = (start) => {
      if (start.target instanceof HTMLButtonElement) return;
      head.setPointerCapture(start.pointerId);
      const { offsetLeft, offsetTop } = this.root;
      head.onpointermove = (event) =>
        this.moveTo(offsetLeft + event.clientX - start.clientX, offsetTop + event.clientY - start.clientY);
    };
    head.onpointerup = head.onpointercancel = () => (head.onpointermove = null);
    head.onkeydown = (event) => {
      const step: Record<string, [number, number]> = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] };
      const by = step[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.moveTo(this.root.offsetLeft + by[0], this.root.offsetTop + by[1]);
    };
  }

  private moveTo(x: number, y: number): void {
    this.root.style.setProperty("left", `${Math.min(Math.max(x, 0), window.innerWidth - 80)}px`);
    this.root.style.setProperty("top", `${Math.min(Math.max(y, 0), window.innerHeight - 60)}px`);
  }
}

/** All devices: pictures are shown over the view, numbers here and as plots. */
export class SensorPanel {
  private readonly list = element("sensors-list", HTMLElement);
  private readonly values = new Map<string, HTMLOutputElement>();
  private cards = new Map<number, PictureCard>();

  constructor(
    private readonly onChange: () => void,
    private readonly plot: (key: string) => void,
  ) {}

  /** Devices whose pictures are shown. */
  get pictures(): number[] {
    return [...this.cards.keys()];
  }

  /** Keys of the numbers in the list. */
  get keys(): string[] {
    return [...this.values.keys()];
  }

  show(outline: WireOutline): void {
    this.values.clear();
    const rows = outline.devices.map((device) => this.makeRow(device));
    if (!rows.length) rows.push(make("p", { className: "faint" }, "No robot here has sensors."));
    this.list.replaceChildren(...rows);
    for (const [index, card] of this.cards) {
      const device = outline.devices.find((item) => item.index === index);
      if (!device || device.name !== card.device.name) this.close(index);
    }
  }

  update(values: Map<string, number | null>): void {
    this.values.forEach((output, key) => {
      const value = values.get(key);
      if (value !== undefined) output.textContent = value === null ? "–" : numberText(value);
    });
  }

  /** Draw a picture that has come. */
  draw(device: number, jpeg: Blob): void {
    this.cards.get(device)?.draw(jpeg).catch(() => undefined); // a cut picture: the next one comes soon
  }

  private makeRow(device: WireDevice): HTMLElement {
    const name = make("span", { className: "name", title: device.owner }, device.name);
    const head = make("div", { className: "joint-head" }, name, make("span", { className: "faint" }, device.kind));
    const row = make("div", { className: "joint" }, head);
    if (device.picture) {
      const button = makeButton("Show", () => this.toggle(device), `Show the picture of ${device.name}`);
      button.dataset.testid = `show-${device.name}`;
      head.append(button);
      return row;
    }
    const parts = device.parts.map((part, k) => {
      const key = `device/${device.index}/${k}`;
      const output = make("output", { testId: `sensor-${device.name}-${part}` }, "–");
      this.values.set(key, output);
      const button = makeButton("", () => this.plot(key), `Plot ${device.name} ${part}`);
      button.append(make("span", { className: "faint" }, part), output);
      return button;
    });
    row.append(make("div", { className: "parts" }, ...parts));
    return row;
  }

  private toggle(device: WireDevice): void {
    if (this.cards.has(device.index)) this.close(device.index);
    else {
      const card = new PictureCard(device, this.cards.size, () => this.close(device.index));
      this.cards.set(device.index, card);
      document.body.append(card.root);
    }
    this.onChange();
  }

  private close(index: number): void {
    this.cards.get(index)?.root.remove();
    this.cards.delete(index);
    this.onChange();
  }
}
