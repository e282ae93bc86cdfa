import { element } from "./elements";
import { recall, remember } from "./memory";

/** Where it is kept that a user has seen them. */
const STORE = "hints";

/** What one can do with the mouse, told on the first visit. */
export class FirstSteps {
  constructor() {
    const root = element("hints", HTMLElement);
    root.hidden = recall(STORE) !== null;
    const close = (): void => {
      root.hidden = true;
      remember(STORE, "seen");
    };
    element("hints-close", HTMLButtonElement).onclick = close;
    element("hints-help", HTMLButtonElement).onclick = () => {
      close();
      element("help", HTMLDialogElement).showModal();
    };
  }
}
