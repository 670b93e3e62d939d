/** What the list of experiments can be ordered by. */
export const homeFields = ['created', 'name', 'owner'] as const;
export type HomeField = (typeof homeFields)[number];

/** Which experiments are listed, and in which order; all of it is in the address. */
export interface HomeView {
  /** What the name contains. */
  readonly text: string;
  /** A label that they have; empty: any or none. */
  readonly label: string;
  /** Whether what is archived is listed, too. */
  readonly archived: boolean;
  readonly order: HomeField;
  readonly descending: boolean;
}

/** The newest first. */
export const plainHome: HomeView = { text: '', label: '', archived: false, order: 'created', descending: true };

/** Reads the parameters of an address; what means nothing is as if it were not there. */
export function parseHomeView(parameters: URLSearchParams): HomeView {
  const [, down, field] = /^(-?)(.*)$/s.exec(parameters.get('sort') ?? '')!;
  const order = homeFields.find((one) => one === field);
  return {
    text: parameters.get('q') ?? '',
    label: parameters.get('label') ?? '',
    archived: parameters.get('archived') === 'true',
    order: order ?? plainHome.order,
    descending: order ? down === '-' : plainHome.descending,
  };
}

/** The parameters that say the view: only what is not as usual. */
export function homeParameters({ text, label, archived, order, descending }: HomeView): URLSearchParams {
  return new URLSearchParams({
    ...(text !== '' && { q: text }),
    ...(label !== '' && { label }),
    ...(archived && { archived: 'true' }),
    ...(!isPlainOrder(order, descending) && { sort: `${descending ? '-' : ''}${order}` }),
  });
}

/** The parameters of the API's list that answer it. */
export function listParameters({ text, label, archived, order, descending }: HomeView): Record<string, string> {
  const conditions = [
    ...(archived ? [] : ['archived = false']), // as the server has it for the first page of the list
    ...(text === '' ? [] : [`name : ${quoted(text)}`]),
    ...(label === '' ? [] : [`label = ${quoted(label)}`]),
  ];
  return {
    ...(conditions.length > 0 && { filter: conditions.join(' AND ') }),
    ...(!isPlainOrder(order, descending) && { order_by: `${order}${descending ? ' desc' : ''}` }),
  };
}

function isPlainOrder(order: HomeField, descending: boolean): boolean {
  return order === plainHome.order && descending === plainHome.descending;
}

/** A text of the filter language: what quotes and backslashes would mean is taken away. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
