// Where somebody reads: the place in each conversation, kept while the page lives.
import type { Scroll } from "./types";

type StepPrompt = (step: 1 | -1) => void;

export class Reading {
  private readonly scrolls = new Map<string, Scroll>();
  private step: StepPrompt | undefined;

  keep(sessionId: string, scroll: Scroll): void {
    this.scrolls.set(sessionId, scroll);
  }
  placeIn(sessionId: string): Scroll | undefined {
    return this.scrolls.get(sessionId);
  }

  /** The conversation on screen can go to the user's message before or after; the answer takes it back. */
  canStep(step: StepPrompt): () => void {
    this.step = step;
    return () => {
      if (this.step === step) this.step = undefined;
    };
  }
  get stepPrompt(): StepPrompt | undefined {
    return this.step;
  }
}
