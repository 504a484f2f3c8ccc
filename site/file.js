// The search of pages that are opened as files: browsers start no worker there, so it runs in a frame of the page.
window.Worker = class extends EventTarget {
  constructor(script) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    this.ready = new Promise(resolve => {
      const insert = () => {
        document.body.append(frame);
        this.inside = frame.contentWindow;
        this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
        const element = this.inside.document.createElement("script");
        element.src = script;
        element.onload = resolve;
        this.inside.document.body.append(element);
      };
      if (document.body) insert();
      else addEventListener("DOMContentLoaded", insert);
    });
  }
  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})));
  }
};
