import { make, makeButton, numberText } from "./elements";
import { FloatingCard } from "./floating";
import { t } from "./language";
import type { WireDevice } from "./protocol";

/** A picture of a camera, range finder or lidar that floats over the view and can be moved. */
class PictureCard {
  readonly card: FloatingCard;
  private readonly canvas: HTMLCanvasElement;

  constructor(
    readonly device: WireDevice,
    place: number,
    remove: () => void,
  ) {
    const label = t("Picture of {0}", device.name);
    this.canvas = make("canvas", { testId: `picture-${device.name}`, label });
    this.canvas.width = 16;
    this.canvas.height = 9;
    const title = `${device.owner ? `${device.owner} · ` : ""}${device.name}`;
    this.card = new FloatingCard(title, { className: "picture", label, at: [340 + 30 * place, 76 + 30 * place], remove }, this.canvas);
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
}

/** The pictures of devices that are shown over the view. */
export class Pictures {
  private readonly cards = new Map<number, PictureCard>();

  constructor(private readonly onChange: () => void) {}

  /** Devices whose pictures are shown. */
  get devices(): number[] {
    return [...this.cards.keys()];
  }

  /** Draw a picture that has come. */
  draw(device: number, jpeg: Blob): void {
    this.cards.get(device)?.draw(jpeg).catch(() => undefined); // a cut picture: the next one comes soon
  }

  toggle(device: WireDevice): void {
    if (this.cards.has(device.index)) this.close(device.index);
    else this.cards.set(device.index, new PictureCard(device, this.cards.size, () => this.close(device.index)));
    this.onChange();
  }

  /** Close what is no longer there. */
  keep(devices: WireDevice[]): void {
    for (const [index, card] of this.cards) {
      const device = devices.find((item) => item.index === index);
      if (!device || device.name !== card.device.name) this.close(index);
    }
  }

  private close(index: number): void {
    this.cards.get(index)?.card.root.remove();
    this.cards.delete(index);
    this.onChange();
  }
}

/** A list of devices: pictures are shown over the view, numbers here and as plots. */
export class SensorList {
  private readonly values = new Map<string, HTMLOutputElement>();
  private readonly closed = new Set<string>();
  private words: string[] = [];

  constructor(
    private readonly list: HTMLElement,
    private readonly pictures: Pictures,
    private readonly plot: (key: string) => void,
  ) {}

  /** Keys of the numbers in the list. */
  get keys(): string[] {
    return [...this.values.keys()];
  }

  /** List devices robot by robot; closed robots stay closed. */
  show(devices: WireDevice[]): void {
    this.values.clear();
    const groups = new Map<string, HTMLElement[]>();
    for (const device of devices) groups.set(device.owner, [...(groups.get(device.owner) ?? []), this.makeRow(device)]);
    const parts: HTMLElement[] = [...groups].map(([owner, rows]) => {
      const head = make("summary", { testId: `sensors-of-${owner}` }, make("span", { className: "name" }, owner), make("span", { className: "faint" }, String(rows.length)));
      const group = make("details", { className: "robot-group" }, head, ...rows);
      group.open = !this.closed.has(owner);
      group.ontoggle = () => (group.open ? this.closed.delete(owner) : this.closed.add(owner));
      return group;
    });
    if (!parts.length) parts.push(make("p", { className: "faint" }, t("No robot here has sensors.")));
    this.list.replaceChildren(...parts);
    this.filter();
  }

  /** Show the devices whose name, kind or robot has the words of a search. */
  search(words: string): void {
    this.words = words.toLowerCase().split(/\s+/).filter(Boolean);
    this.filter();
  }

  private filter(): void {
    for (const group of this.list.querySelectorAll("details")) {
      const owner = group.querySelector("summary")!.textContent;
      let shown = 0;
      for (const row of group.querySelectorAll<HTMLElement>(".joint")) {
        const text = `${owner} ${row.querySelector(".joint-head")!.textContent}`.toLowerCase();
        row.hidden = !this.words.every((word) => text.includes(word));
        shown += Number(!row.hidden);
      }
      group.hidden = shown === 0;
    }
  }

  update(values: Map<string, number | null>): void {
    this.values.forEach((output, key) => {
      const value = values.get(key);
      if (value !== undefined) output.textContent = value === null ? "–" : numberText(value);
    });
  }

  private makeRow(device: WireDevice): HTMLElement {
    const name = make("span", { className: "name", title: device.owner }, device.name);
    const head = make("div", { className: "joint-head" }, name, make("span", { className: "faint" }, device.kind));
    const row = make("div", { className: "joint" }, head);
    if (device.picture) {
      const button = makeButton(t("Show"), () => this.pictures.toggle(device), t("Show the picture of {0}", device.name));
      button.dataset.testid = `show-${device.name}`;
      head.append(button);
      return row;
    }
    const parts = device.parts.map((part, k) => {
      const key = `device/${device.index}/${k}`;
      const output = make("output", { testId: `sensor-${device.name}-${part}` }, "–");
      this.values.set(key, output);
      const button = makeButton("", () => this.plot(key), t("Plot {0} {1}", device.name, part));
      button.append(make("span", { className: "faint" }, part), output);
      return button;
    });
    row.append(make("div", { className: "parts" }, ...parts));
    return row;
  }
}
