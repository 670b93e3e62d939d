/** The fields by which the list of experiments can be sorted. */
export const homeFields = ['created', 'name', 'owner', 'received'] as const;
export type HomeField = (typeof homeFields)[number];

/** The columns after the name, in this order. */
export const homeColumns = ['owner', 'created', 'received', 'runs', 'points', 'metric', 'state'] as const;
export type HomeColumn = (typeof homeColumns)[number];

/** The columns shown by default in a wide window. */
export const usualColumns: readonly HomeColumn[] = homeColumns.filter((column) => column !== 'points');

/** Which experiments are listed, and in which order. */
export interface HomeList {
  /** Text that the name must contain. */
  readonly text: string;
  /** A label that the experiments must have. Empty for no restriction. */
  readonly label: string;
  /** Whether to list archived experiments too. */
  readonly archived: boolean;
  /** Whether to list only starred experiments. */
  readonly starred: boolean;
  readonly order: HomeField;
  readonly descending: boolean;
}

/** The view of the list. The URL contains all of it. */
export interface HomeView extends HomeList {
  /** Null for as many columns as fit in the window. */
  readonly columns: readonly HomeColumn[] | null;
}

/** The default view: newest first. */
export const plainHome: HomeView = {
  text: '',
  label: '',
  archived: false,
  starred: false,
  order: 'created',
  descending: true,
  columns: null,
};

/** Parses URL parameters. Ignores invalid ones. */
export function parseHomeView(parameters: URLSearchParams): HomeView {
  const [, down, field] = /^(-?)(.*)$/s.exec(parameters.get('sort') ?? '')!;
  const order = homeFields.find((one) => one === field);
  const columns = parameters.getAll('column');
  return {
    text: parameters.get('q') ?? '',
    label: parameters.get('label') ?? '',
    archived: parameters.get('archived') === 'true',
    starred: parameters.get('starred') === 'true',
    order: order ?? plainHome.order,
    descending: order ? down === '-' : plainHome.descending,
    columns: columns.length === 0 ? null : homeColumns.filter((one) => columns.includes(one)),
  };
}

/** The parameters of the view. Includes only those that differ from the default. */
export function homeParameters({ text, label, archived, starred, order, descending, columns }: HomeView): URLSearchParams {
  const parameters = new URLSearchParams({
    ...(text !== '' && { q: text }),
    ...(label !== '' && { label }),
    ...(archived && { archived: 'true' }),
    ...(starred && { starred: 'true' }),
    ...(!isPlainOrder(order, descending) && { sort: `${descending ? '-' : ''}${order}` }),
  });
  for (const column of columns?.length === 0 ? [''] : (columns ?? [])) parameters.append('column', column);
  return parameters;
}

/**
 * The parameters for requesting this view's list from the API. `stars`: the ids of starred
 * experiments.
 */
export function listParameters(
  { text, label, archived, starred, order, descending }: HomeList,
  stars: readonly string[] = [],
): Record<string, string> {
  const conditions = [
    ...(archived ? [] : ['archived = false']), // like the server's request for the first page of the list
    ...(text === '' ? [] : [`name : ${quoted(text)}`]),
    ...(label === '' ? [] : [`label = ${quoted(label)}`]),
    ...(starred ? [anyOf(stars)] : []),
  ];
  return {
    ...(conditions.length > 0 && { filter: conditions.join(' AND ') }),
    ...(!isPlainOrder(order, descending) && { order_by: `${order}${descending ? ' desc' : ''}` }),
  };
}

/** Ids are never empty, so this matches no experiment. */
function anyOf(ids: readonly string[]): string {
  return `(${(ids.length === 0 ? [''] : ids).map((id) => `id = ${quoted(id)}`).join(' OR ')})`;
}

function isPlainOrder(order: HomeField, descending: boolean): boolean {
  return order === plainHome.order && descending === plainHome.descending;
}

/** A string literal of the filter language, with quotes and backslashes escaped. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
