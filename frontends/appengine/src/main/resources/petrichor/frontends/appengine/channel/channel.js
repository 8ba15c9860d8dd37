/**
 * Client of Petrichor's channels, with the interface of App Engine's Channel API:
 *
 *   const socket = new goog.appengine.Channel(token).open({onopen, onmessage, onerror, onclose});
 *
 * It connects with a WebSocket, or with server-sent events if no WebSocket can be opened, and connects
 * again when the connection breaks, until the token expires. onopen is called once; onmessage gets
 * {data: TEXT}; onerror gets {code, description}, with code 401 for a token that is invalid or has expired,
 * and is followed by onclose.
 */
(function () {
  'use strict';

  var RETRY_MS_MIN = 500;
  var RETRY_MS_MAX = 30000;
  /** Attempts to open a WebSocket before server-sent events are tried. */
  var SOCKET_ATTEMPTS = 2;
  var ERROR_STATUS_MIN = 4400;
  var RETRY_STATUS = 4503;
  /** Subprotocols, of which the server chooses one: onclose with the reason follows a refusal at once. */
  var ACCEPTED = 'channel';
  var REFUSED = 'ended';

  var goog = (window.goog = window.goog || {});
  goog.appengine = goog.appengine || {};
  if (goog.appengine.Channel) {
    return;
  }

  var script = document.currentScript;
  var base = new URL(script && script.src ? script.src : '/_ah/channel/jsapi', document.baseURI);

  function address(token) {
    var url = new URL('connect', base);
    url.search = '?token=' + encodeURIComponent(token);
    return url;
  }

  function nothing() {}

  /** The open side of a channel. Applications create it with Channel.open. */
  function Socket(token, handlers) {
    var given = handlers || {};
    this.onopen = given.onopen || nothing;
    this.onmessage = given.onmessage || nothing;
    this.onerror = given.onerror || nothing;
    this.onclose = given.onclose || nothing;
    this.readyState = Socket.ReadyState.CONNECTING;
    this.token_ = token;
    this.failures_ = 0;
    this.socketFailures_ = 0;
    this.socketWorks_ = false;
    this.timer_ = null;
    this.stop_ = nothing;
    var self = this;
    this.timer_ = setTimeout(function () {
      self.connect_();
    }, 0); // so that the page can set handlers first
  }

  Socket.ReadyState = {CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3};

  /** Ends the channel; no handler but onclose is called afterwards. */
  Socket.prototype.close = function () {
    if (this.readyState === Socket.ReadyState.CLOSED) {
      return;
    }
    this.readyState = Socket.ReadyState.CLOSED;
    clearTimeout(this.timer_);
    this.stop_();
    this.onclose();
  };

  Socket.prototype.connect_ = function () {
    var sockets = typeof WebSocket !== 'undefined';
    var events = typeof EventSource !== 'undefined';
    if (sockets && (!events || this.socketWorks_ || this.socketFailures_ < SOCKET_ATTEMPTS)) {
      this.connectSocket_();
    } else if (events) {
      this.connectEvents_();
    } else {
      this.fail_(501, 'this browser has neither WebSocket nor EventSource');
    }
  };

  Socket.prototype.connectSocket_ = function () {
    var self = this;
    var url = address(this.token_);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    var opened = false;
    var socket = new WebSocket(url.href, [ACCEPTED, REFUSED]);
    this.stop_ = function () {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close(1000);
    };
    socket.onopen = function () {
      opened = true;
      self.socketWorks_ = true;
      if (socket.protocol !== REFUSED) {
        self.opened_();
      }
    };
    socket.onmessage = function (event) {
      self.received_(event.data);
    };
    socket.onclose = function (event) {
      self.stop_ = nothing;
      if (!opened) {
        self.socketFailures_++;
      }
      self.ended_(event.code, event.reason);
    };
  };

  Socket.prototype.connectEvents_ = function () {
    var self = this;
    var events = new EventSource(address(this.token_).href);
    this.stop_ = function () {
      events.close();
      self.stop_ = nothing;
    };
    events.addEventListener('accepted', function () {
      self.opened_();
    });
    events.onmessage = function (event) {
      self.received_(JSON.parse(event.data));
    };
    events.addEventListener('end', function (event) {
      self.stop_();
      var end = JSON.parse(event.data);
      self.ended_(end.status, end.description);
    });
    events.onerror = function () {
      self.stop_();
      self.ended_(0, '');
    };
  };

  Socket.prototype.opened_ = function () {
    this.failures_ = 0;
    if (this.readyState === Socket.ReadyState.CONNECTING) {
      this.readyState = Socket.ReadyState.OPEN;
      this.onopen();
    }
  };

  Socket.prototype.received_ = function (text) {
    if (this.readyState === Socket.ReadyState.OPEN) {
      this.onmessage({data: text});
    }
  };

  /** A connection has ended: for good, or to be opened again. */
  Socket.prototype.ended_ = function (status, description) {
    if (this.readyState === Socket.ReadyState.CLOSED) {
      return;
    }
    if (status >= ERROR_STATUS_MIN && status !== RETRY_STATUS) {
      this.fail_(status - 4000, description);
      return;
    }
    var self = this;
    var wait = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * Math.pow(2, this.failures_));
    this.failures_++;
    this.timer_ = setTimeout(function () {
      self.connect_();
    }, wait * (0.5 + Math.random() / 2)); // at different times in different browsers
  };

  Socket.prototype.fail_ = function (code, description) {
    this.readyState = Socket.ReadyState.CLOSED;
    this.onerror({code: code, description: description});
    this.onclose();
  };

  /** A channel of the client of the token. */
  goog.appengine.Channel = function (token) {
    this.token_ = token;
  };

  /** Opens the channel. The handlers can also be set as properties of the result. */
  goog.appengine.Channel.prototype.open = function (handlers) {
    return new Socket(this.token_, handlers);
  };

  goog.appengine.Socket = Socket;
})();
