import { element } from "./elements";
import type { Stage } from "./stage";

/** Room between a body and its name [CSS pixels]. */
const GAP = 8;

/** Highest place of the name: below the upper bar [CSS pixels]. */
const TOP = 92;

/** Writes the name of the selected body above it. */
export class NameTag {
  private readonly root = element("tag", HTMLElement);

  constructor(
    private readonly stage: Stage,
    private readonly nameOf: (link: number) => string,
  ) {
    stage.onPicture(() => this.place());
  }

  private place(): void {
    const link = this.stage.selected;
    const at = link === null ? null : this.stage.screenTop(link);
    const { clientWidth, clientHeight } = this.root.parentElement!;
    const isSeen = at !== null && at.x > 0 && at.x < clientWidth && at.y < clientHeight;
    this.root.hidden = !isSeen;
    if (!isSeen) return;
    this.root.textContent = this.nameOf(link!);
    // through the object model: the page's policy forbids style attributes
    this.root.style.transform = `translate(-50%, -100%) translate(${at.x}px, ${Math.max(at.y - GAP, TOP)}px)`;
  }
}
