// Search on pages that are opened as files, where a browser starts no worker: its script runs in a hidden frame.
window.Worker = class extends EventTarget {
  constructor(url) {
    super()
    this.waiting = []
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.appendChild(frame)
    const inside = frame.contentWindow
    inside.postMessage = data => this.answer(data)
    const script = inside.document.createElement("script")
    script.src = url
    script.onload = () => {
      this.inside = inside
      for (const data of this.waiting) this.postMessage(data)
    }
    inside.document.body.appendChild(script)
  }

  answer(data) {
    const event = new MessageEvent("message", { data })
    this.dispatchEvent(event)
    if (this.onmessage) this.onmessage(event)
  }

  postMessage(data) {
    if (!this.inside) this.waiting.push(data)
    else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
  }

  terminate() {}
}
