/** What the list of experiments can be ordered by. */
export const homeFields = ['created', 'name', 'owner', 'received'] as const;
export type HomeField = (typeof homeFields)[number];

/** What is told of each beside its name, in this order. */
export const homeColumns = ['owner', 'created', 'received', 'runs', 'points', 'state'] as const;
export type HomeColumn = (typeof homeColumns)[number];

/** Which experiments are listed, and in which order. */
export interface HomeList {
  /** What the name contains. */
  readonly text: string;
  /** A label that they have; empty: any or none. */
  readonly label: string;
  /** Whether what is archived is listed, too. */
  readonly archived: boolean;
  readonly order: HomeField;
  readonly descending: boolean;
}

/** The list as one looks at it; all of it is in the address. */
export interface HomeView extends HomeList {
  /** Null: those that the window has room for. */
  readonly columns: readonly HomeColumn[] | null;
}

/** Newest first. */
export const plainHome: HomeView = { text: '', label: '', archived: false, order: 'created', descending: true, columns: null };

/** Reads the parameters of an address; what means nothing is as if it were not there. */
export function parseHomeView(parameters: URLSearchParams): HomeView {
  const [, down, field] = /^(-?)(.*)$/s.exec(parameters.get('sort') ?? '')!;
  const order = homeFields.find((one) => one === field);
  const columns = parameters.getAll('column');
  return {
    text: parameters.get('q') ?? '',
    label: parameters.get('label') ?? '',
    archived: parameters.get('archived') === 'true',
    order: order ?? plainHome.order,
    descending: order ? down === '-' : plainHome.descending,
    columns: columns.length === 0 ? null : homeColumns.filter((one) => columns.includes(one)),
  };
}

/** The parameters that say the view: only what is not as usual. */
export function homeParameters({ text, label, archived, order, descending, columns }: HomeView): URLSearchParams {
  const parameters = new URLSearchParams({
    ...(text !== '' && { q: text }),
    ...(label !== '' && { label }),
    ...(archived && { archived: 'true' }),
    ...(!isPlainOrder(order, descending) && { sort: `${descending ? '-' : ''}${order}` }),
  });
  for (const column of columns?.length === 0 ? [''] : (columns ?? [])) parameters.append('column', column);
  return parameters;
}

/** The parameters of the API's list that answer it. */
export function listParameters({ text, label, archived, order, descending }: HomeList): Record<string, string> {
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
