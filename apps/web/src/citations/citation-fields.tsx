import { useId } from 'react';

/** Maximum characters, as in the service. */
const maxTitle = 300;
const maxLicense = 200;
const licenses = ['CC-BY-4.0', 'CC0-1.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'ODC-By-1.0', 'Apache-2.0', 'MIT'];

/** The text in each field. */
export interface Citation {
  readonly title: string;
  /** The authors, one per line. */
  readonly authors: string;
  readonly license: string;
  /** A date. If empty, today. */
  readonly published: string;
}

interface FieldsProps {
  readonly citation: Citation;
  readonly onChange: (citation: Citation) => void;
}

/** The fields of a new citation. */
export function CitationFields({ citation, onChange }: FieldsProps) {
  const list = useId();
  const { title, authors, license, published } = citation;
  return (
    <>
      <label className="field">
        Title
        <input
          className="text-field"
          type="text"
          required
          maxLength={maxTitle}
          autoComplete="off"
          value={title}
          onChange={({ target }) => onChange({ ...citation, title: target.value })}
        />
      </label>
      <label className="field">
        Authors, one per line
        <textarea
          className="authors"
          rows={3}
          autoComplete="off"
          placeholder={'Doe, Jane\nVision Lab'}
          value={authors}
          onChange={({ target }) => onChange({ ...citation, authors: target.value })}
        />
      </label>
      <div className="fields">
        <label className="field">
          License
          <input
            className="text-field"
            type="text"
            list={list}
            maxLength={maxLicense}
            autoComplete="off"
            placeholder="SPDX identifier or text"
            value={license}
            onChange={({ target }) => onChange({ ...citation, license: target.value })}
          />
          <datalist id={list}>
            {licenses.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
        <label className="field">
          Date
          <input
            className="text-field"
            type="date"
            min="1900-01-01"
            value={published}
            onChange={({ target }) => onChange({ ...citation, published: target.value })}
          />
        </label>
      </div>
      <p className="dim">Title, authors, license and date cannot be changed later. If the date is empty, today is used.</p>
    </>
  );
}

/** The citation in the form that the API expects. */
export function citationRequest({ title, authors, license, published }: Citation): object {
  const names = authors
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    title: title.trim(),
    authors: names,
    ...(license.trim() !== '' && { license: license.trim() }),
    ...(published !== '' && { published }),
  };
}
