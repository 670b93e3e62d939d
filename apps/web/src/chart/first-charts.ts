/**
 * The pictures of charts that the page arrived with. They show one experiment in the view of that moment: each is kept until its canvas is there, all of them
 * only as long as the view is that one.
 */
export class FirstCharts {
  /** A tag that is pinned has one in each of its places. */
  readonly #pictures = new Map<string, Element[]>();

  /** Takes them out of what the server drew; it is drawn anew around them. */
  constructor(root: ParentNode | null) {
    for (const picture of root?.querySelectorAll('.first-chart[data-tag]') ?? []) {
      const tag = decodeURIComponent(picture.getAttribute('data-tag')!);
      this.#pictures.set(tag, [...(this.#pictures.get(tag) ?? []), picture]);
    }
  }

  /** A picture of the tag that stands nowhere. */
  of(tag: string): Element | null {
    return this.#pictures.get(tag)?.find(({ isConnected }) => !isConnected) ?? null;
  }

  /** What has its canvas does not come back. */
  forget(tag: string): void {
    for (const picture of this.#pictures.get(tag) ?? []) picture.remove();
    this.#pictures.delete(tag);
  }

  /** They show something else than what is asked for. */
  forgetAll(): void {
    for (const tag of this.#pictures.keys()) this.forget(tag);
  }
}
