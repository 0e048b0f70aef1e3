/* SPDX-License-Identifier: MIT */
// Lets MuJoCo solve a few problems and prints them with its forces, for test_convex.c. Exits with 77 where the engine is not
// installed. usage: node dump_mujoco.mjs ENGINES_FOLDER > FILE
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

let mujoco;
try {
  const require = createRequire(pathToFileURL(`${process.argv[2]}/`));
  mujoco = await (await import(pathToFileURL(require.resolve('@mujoco/mujoco')))).default();
} catch {
  process.exit(77);
}

const box = (i, x, z, extra = '') => `<body pos="${x} ${0.03 * i} ${z}" euler="${0.05 * i} 0.02 ${0.3 * i}"><freejoint/><geom type="box"
 size="0.5 0.4 0.3" mass="${2 + 3 * i}" ${extra}/></body>`;
const pile = (option, extra) => `<mujoco><option jacobian="dense" ${option}/><worldbody><geom type="plane" size="0 0 1" ${extra}/>${
  [0, 1, 2].map((i) => box(i, 0.1 * i, 0.29 + 0.58 * i, extra)).join('')}<body pos="0.9 0.2 0.19"><freejoint/><geom type="sphere" size="0.2"
 mass="5" ${extra}/></body></worldbody></mujoco>`;
const link = (i, inner) => `<body pos="0.5 0 0"><joint type="hinge" axis="0 1 ${0.1 * i}" pos="-0.25 0 0" limited="true" range="-0.2 0.1"
 frictionloss="${0.5 * i}"/><geom type="capsule" fromto="-0.25 0 0 0.25 0 0" size="0.05" mass="${1 + i}" contype="0" conaffinity="0"/>${inner}</body>`;
const chain = `<mujoco><option jacobian="dense"/><worldbody><body name="end" pos="0.25 0 1">${link(0, link(1, link(2,
  '<body name="last" pos="0.5 0 0"><geom type="sphere" size="0.1" mass="30" contype="0" conaffinity="0"/></body>')))}</body></worldbody>
<equality><connect body1="last" anchor="0.02 0.01 0.03"/></equality></mujoco>`;

const MODELS = {
  pyramid: pile('cone="pyramidal"', 'friction="0.5 0 0"'),
  pyramid_ratio: pile('cone="pyramidal" impratio="4"', 'friction="0.9 0.01 0" condim="4"'),
  elliptic: pile('cone="elliptic"', 'friction="0.5 0 0"'),
  elliptic_spin: pile('cone="elliptic" impratio="7"', 'friction="0.3 0.02 0" condim="4"'),
  chain,
};
const ELLIPTIC = 7, FRICTION_LOSS = [1, 2]; // of mjtConstraint; 0 is an equality, all others only push
const numbers = (a) => [...a].map((x) => x.toString()).join(' ');

for (const [name, xml] of Object.entries(MODELS)) {
  const model = mujoco.MjModel.from_xml_string(xml), data = new mujoco.MjData(model);
  model.opt.tolerance = 1e-15;
  model.opt.iterations = 500;
  model.opt.ls_tolerance = 1e-6;
  for (let i = 0; i < model.nv; i++) data.qvel[i] = Math.sin(1.7 * i + 0.3);
  mujoco.mj_forward(model, data);
  const n = model.nv, m = data.nefc, M = new mujoco.DoubleBuffer(n * n);
  mujoco.mj_fullM(model, data, M);
  const contact = data.contact, blocks = [];
  for (let i = 0; i < m; i++) {
    const type = data.efc_type[i];
    if (type === ELLIPTIC) {
      const { dim, mu, friction } = contact.get(data.efc_id[i]);
      blocks.push(`cone ${dim} ${mu} ${numbers([...friction].slice(0, dim - 1))}`);
      i += dim - 1;
    } else {
      const loss = data.efc_frictionloss[i];
      blocks.push(type === 0 ? 'row -inf inf' : FRICTION_LOSS.includes(type) ? `row ${-loss} ${loss}` : 'row 0 inf');
    }
  }
  console.log(`problem ${name} ${n} ${m} ${blocks.length}`);
  console.log(numbers(M.GetView ? M.GetView() : M));
  for (const a of [data.qacc_smooth, data.efc_J, data.efc_R, data.efc_aref, data.efc_force, data.qacc]) console.log(numbers(a));
  console.log(blocks.join('\n'));
}
