import type { KeptView } from "./camera";
import { element } from "./elements";
import { t } from "./language";
import type { Stage } from "./stage";

/** What the address of a replay can say behind #: in an article or not, when, and how one looks. */
export interface Moment {
  isEmbedded: boolean;
  time: number | null;
  view: KeptView | null;
}

/** Digits of numbers in addresses. */
const DIGITS = 4;

/** What the address of this page says. */
export function keptMoment(hash = location.hash): Moment {
  const words = hash.replace(/^#/, "").split("&");
  const value = (name: string): string | undefined => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const time = Number(value("t") ?? NaN);
  const numbers = (value("view") ?? "").split(",").map(Number);
  const isView = numbers.length === 6 && numbers.every(Number.isFinite);
  return {
    isEmbedded: words.includes("embed"),
    time: Number.isFinite(time) ? time : null,
    view: isView ? { position: numbers.slice(0, 3), target: numbers.slice(3), isFlat: words.includes("flat") } : null,
  };
}

/** The address of a moment of this replay. */
export function linkTo(time: number, view: KeptView): string {
  const numbers = [...view.position, ...view.target].map((x) => Number(x.toFixed(DIGITS)));
  const words = [`t=${Number(time.toFixed(3))}`, `view=${numbers.join()}`, ...(view.isFlat ? ["flat"] : [])];
  return `${location.href.split("#")[0]}#${words.join("&")}`;
}

/** Offer the address of the moment and the view on show. */
export function offerLink(stage: Stage): void {
  const button = element("link", HTMLButtonElement);
  button.hidden = false;
  const text = button.textContent!;
  button.onclick = async () => {
    const { parts, frames } = stage;
    if (!parts || !frames.latest) return;
    const link = linkTo(frames.latest.header.time, parts.view.kept);
    location.replace(link); // to be copied by hand where the clipboard is closed
    const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    button.textContent = isCopied ? t("The link was copied") : t("The link is in the address bar");
    window.setTimeout(() => (button.textContent = text), 3000);
  };
}
