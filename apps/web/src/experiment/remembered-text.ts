import { parseView, plainView, type View, viewParameters } from '#charts';

/**
 * The parameters of a view to remember, without a chart or run that is only opened for a moment.
 */
export function rememberedText(view: View): string {
  const { card, also, about, embed } = plainView;
  return viewParameters({ ...view, card, also, about, embed }).toString();
}

/** The view with which an experiment opens: its default saved view, or the default view. */
export function openingView({ default_view: text }: { readonly default_view: string | null }): View {
  return parseView(new URLSearchParams(text ?? ''));
}
