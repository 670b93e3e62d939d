/**
 * The three data classes of TensorBoard's data provider contract (seed 001): how the points of a
 * series are stored and requested.
 */
export const dataClasses = ['scalar', 'tensor', 'blob_sequence'] as const;

/**
 * One of {@link dataClasses}. Values without a data class are stored as unlisted tensors (data rule
 * 11).
 */
export type DataClass = (typeof dataClasses)[number];
