import { element } from "./elements";
import { recall, remember } from "./memory";

/** The languages of the page, as they call themselves. English is the key of all others. */
export const LANGUAGES: Record<string, string> = { en: "English", ja: "日本語", es: "Español" };

const STORE = "language";

type Words = Record<string, string>;

const FILES: Record<string, () => Promise<{ default: Words }>> = {
  ja: () => import("./languages/ja.json"),
  es: () => import("./languages/es.json"),
};

let words: Words = {};

/** A text in the user's language; {0}, {1} stand for the values that follow. What is not translated stays English. */
export function t(english: string, ...values: (string | number)[]): string {
  return (words[english] ?? english).replace(/\{(\d)\}/g, (_, k: string) => String(values[Number(k)] ?? ""));
}

/** The language that was chosen; English, if none was. */
export function chosenLanguage(): string {
  const kept = recall(STORE) ?? "en";
  return kept in LANGUAGES ? kept : "en";
}

/** Let users choose the language; the page is loaded again for it. */
export function offerLanguages(): void {
  const choice = element("language", HTMLSelectElement);
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => new Option(name, code)));
  choice.value = chosenLanguage();
  choice.onchange = () => {
    remember(STORE, choice.value);
    location.reload();
  };
}

/** Load the words of the chosen language, and put them into the page as it was sent. */
export async function speak(): Promise<void> {
  const language = chosenLanguage();
  const load = FILES[language];
  if (!load) return;
  try {
    words = (await load()).default;
  } catch {
    return; // a page in a file has no others beside it
  }
  document.documentElement.lang = language;
  translate(document.body);
}

/** What of an element is read by users beside its text. */
const SPOKEN = ["title", "aria-label", "placeholder"];

function translate(root: HTMLElement): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.textContent?.trim() ?? "";
    const word = words[text];
    if (word !== undefined && !node.parentElement?.closest("script")) node.textContent = node.textContent!.replace(text, () => word);
  }
  for (const holder of root.querySelectorAll(SPOKEN.map((name) => `[${name}]`).join())) {
    for (const name of SPOKEN) {
      const word = words[holder.getAttribute(name) ?? ""];
      if (word !== undefined) holder.setAttribute(name, word);
    }
  }
}
