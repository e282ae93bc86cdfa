/** Answers a notebook that shows the page in a frame and asks whether it was reached; if not, it shows a replay. */

/** What is asked and answered; `viewer/notebook_frames.py` has the other side. */
const QUESTION = "solidbody?";
const ANSWER = "solidbody!";

export function answerNotebooks(): void {
  window.addEventListener("message", (event) => {
    if (event.data === QUESTION) (event.source as Window | null)?.postMessage(ANSWER, "*");
  });
}
