import { element, make } from "./elements";
import { t } from "./language";

/** Ask the user to choose one of some answers; Escape is none of them (null). */
export function ask(text: string, choices: string[]): Promise<string | null> {
  const dialog = element("ask", HTMLDialogElement);
  element("ask-text", HTMLElement).textContent = text;
  const buttons = choices.map((choice, k) => {
    const button = make("button", { className: k === 0 ? "main" : "small", testId: `ask-${k}` }, t(choice));
    button.value = choice;
    return button;
  });
  element("ask-choices", HTMLElement).replaceChildren(...buttons);
  dialog.returnValue = "";
  return new Promise((answer) => {
    dialog.onclose = () => answer(dialog.returnValue || null);
    dialog.showModal();
  });
}
