/** A message as it is sent: what is left out has its default, and whole numbers may be numbers while float64 holds them. */
export type Sent<T> = T extends bigint
  ? bigint | number
  : T extends Uint8Array | string | number | boolean | null
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Sent<Item>[]
      : { readonly [Field in keyof T]?: Sent<T[Field]> };
