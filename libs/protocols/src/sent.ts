/**
 * A message to send: omitted fields have their default value, and whole numbers can be numbers if
 * float64 holds them exactly.
 */
export type Sent<T> = T extends bigint
  ? bigint | number
  : T extends Uint8Array | string | number | boolean | null
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Sent<Item>[]
      : { readonly [Field in keyof T]?: Sent<T[Field]> };
