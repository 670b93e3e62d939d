/**
 * The chart pictures delivered with the page. They show one experiment in its initial view. Each
 * picture is kept until its canvas exists; all of them are dropped when the view changes.
 */
export class FirstCharts {
  /** A pinned tag has a picture in each place where it appears. */
  readonly #pictures = new Map<string, Element[]>();

  /**
   * Takes the pictures out of the server's HTML, because the HTML around them is rendered again.
   */
  constructor(root: ParentNode | null) {
    for (const picture of root?.querySelectorAll('.first-chart[data-tag]') ?? []) {
      const tag = decodeURIComponent(picture.getAttribute('data-tag')!);
      this.#pictures.set(tag, [...(this.#pictures.get(tag) ?? []), picture]);
    }
  }

  /** A picture of the tag that has not been inserted into the page yet. */
  of(tag: string): Element | null {
    return this.#pictures.get(tag)?.find(({ isConnected }) => !isConnected) ?? null;
  }

  /** Drops a tag's pictures once its canvas exists. */
  forget(tag: string): void {
    for (const picture of this.#pictures.get(tag) ?? []) picture.remove();
    this.#pictures.delete(tag);
  }

  /** Drops all pictures, because they no longer show the current view. */
  forgetAll(): void {
    for (const tag of this.#pictures.keys()) this.forget(tag);
  }
}
