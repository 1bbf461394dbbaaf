// A program that wants out: each argument is one try, and a line says what came of it.
import { lookup } from 'node:dns'
import { Agent, get, request } from 'node:http'
import { connect } from 'node:net'

const tries = {
  // HTTP without any proxy.
  direct: (url) => ask(url, new Agent()),
  // The absolute form that proxies take.
  proxied(url) {
    const { hostname, port } = new URL(process.env.HTTP_PROXY)
    return new Promise((resolve) => {
      const options = {
        hostname,
        port,
        path: url,
        agent: new Agent(),
        headers: { host: new URL(url).host },
      }
      get(options, (response) => resolve(read(response))).on('error', (error) =>
        resolve(error.code),
      )
    })
  },
  tunnel(target) {
    const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    return new Promise((resolve) => {
      const options = { hostname, port, method: 'CONNECT', path: target, agent: new Agent() }
      request(options)
        .on('connect', ({ statusCode }, socket) => {
          socket.destroy()
          resolve(statusCode)
        })
        .on('error', (error) => resolve(error.code))
        .end()
    })
  },
  fetch: (url) =>
    fetch(url).then(
      (response) => response.text(),
      (error) => error.cause?.code ?? 'failed',
    ),
  address(target) {
    const at = target.lastIndexOf(':')
    return new Promise((resolve) => {
      const socket = connect(Number(target.slice(at + 1)), target.slice(0, at))
      socket.on('error', (error) => resolve(error.code)).on('end', () => resolve('end'))
    })
  },
  name: (name) =>
    new Promise((resolve) => lookup(name, (error) => resolve(error?.code ?? 'found'))),
}

async function read(response) {
  let text = `${response.statusCode} `
  for await (const chunk of response) text += chunk
  return text.trim()
}

function ask(url, agent) {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => resolve(read(response))).on('error', (error) =>
      resolve(error.code),
    )
  })
}

for (const text of process.argv.slice(2)) {
  const [kind, target] = text.split(' ')
  console.log(`${text} => ${await tries[kind](target)}`)
}
