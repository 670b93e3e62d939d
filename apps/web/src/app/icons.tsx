/** Line drawings of 16 by 16 pixels. The button's label says what they mean. */
const paths = {
  pin: 'M9.5 2.5l4 4-2 .5-2.5 2.5-.5 3-5-5 3-.5L9 4.5zM6 10l-3.5 3.5',
  expand: 'M9.5 2.5h4v4M13.5 2.5l-5 5M6.5 13.5h-4v-4M2.5 13.5l5-5',
  check: 'M3.5 8.5l3 3 6-6.5',
  close: 'M4 4l8 8M12 4l-8 8',
  download: 'M8 2.5v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
  fold: 'M4.5 6.5L8 10l3.5-3.5',
  runs: 'M3 4h.01M6 4h7M3 8h.01M6 8h7M3 12h.01M6 12h7',
  note: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  more: 'M8 3a.4.4 0 1 0 .01 0M8 7.6a.4.4 0 1 0 .01 0M8 12.2a.4.4 0 1 0 .01 0',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 2.5v11M10.5 3.2v9.6M12.5 4.9v6.2',
  star: 'M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  grid: 'M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
} as const;

export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
