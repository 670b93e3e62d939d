/** Values for the commands. */
interface Target {
  readonly server: string;
  readonly token: string;
}

/** A command and its description. */
interface UploadStep {
  readonly about: string;
  readonly text: string;
}

/** A way to get data into a workspace. */
export interface UploadWay {
  readonly name: string;
  readonly steps: (target: Target) => readonly UploadStep[];
}

/**
 * The ways to upload from the README, with this service's URL and a token of this workspace filled
 * in.
 */
export const uploadWays: readonly UploadWay[] = [
  {
    name: 'Python',
    steps: (target) => [
      {
        about: 'Install the client from a Plotline checkout, and set where it uploads:',
        text: `pip install ./clients/python\n${exported(target)}`,
      },
      {
        about: 'Log from a script. Logging never waits for the network:',
        text: `import plotline

with plotline.init("baseline", config={"lr": 1e-3}) as run:
    for step in range(1000):
        run.log({"train/loss": 1 / (step + 1)}, step=step)`,
      },
      {
        about: 'Or upload what any framework writes. The command watches the directory until you press Ctrl-C:',
        text: 'plotline upload --logdir ./runs',
      },
    ],
  },
  {
    name: 'Command line',
    steps: (target) => [
      { about: 'In a Plotline checkout, set where it uploads:', text: exported(target) },
      {
        about: 'Upload a TensorBoard log directory. The command watches it and uploads new data until you press Ctrl-C:',
        text: 'npm run -s plotline -- upload --logdir ./runs',
      },
    ],
  },
  {
    name: 'Docker',
    steps: (target) => [
      { about: 'Build the image once, in a Plotline checkout:', text: 'docker build -t plotline:local .' },
      {
        about: 'Upload a TensorBoard log directory. The command watches it and uploads new data until you press Ctrl-C:',
        text: `${exported(target)}
docker run --rm --network host -e PLOTLINE_SERVER -e PLOTLINE_TOKEN \\
  -v "$PWD/runs:/runs:ro" plotline:local cli upload --logdir /runs`,
      },
    ],
  },
  {
    name: 'curl',
    steps: (target) => [
      {
        about: 'Upload one event file over HTTP. You need bash, jq and openssl:',
        text: `${exported(target)}
S=$PLOTLINE_SERVER/api/v1
A="Authorization: Bearer $PLOTLINE_TOKEN"
F=$(find runs -name '*tfevents*' | head -1)
EID=$(curl -s -X POST -H "$A" -H 'Content-Type: application/json' -d '{"name":"by curl"}' $S/experiments | jq -r .id)
FID=$(curl -s -X POST -H "$A" -H 'Content-Type: application/json' \\
  -d "{\\"run\\":\\"train\\",\\"name\\":\\"$(basename "$F")\\"}" $S/experiments/$EID/files | jq -r .file_id)
curl -s -X PATCH -H "$A" -H 'Upload-Offset: 0' \\
  -H "Content-Digest: sha-256=:$(openssl dgst -sha256 -binary "$F" | base64 -w0):" \\
  --data-binary @"$F" $S/files/$FID`,
      },
    ],
  },
];

function exported({ server, token }: Target): string {
  return `export PLOTLINE_SERVER=${server} PLOTLINE_TOKEN=${token}`;
}
