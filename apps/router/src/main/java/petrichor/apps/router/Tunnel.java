package petrichor.apps.router;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import petrichor.apps.router.table.VersionRoutes;

/**
 * Passes bytes in both directions after a WebSocket handshake, with back-pressure. Either side's
 * close closes the other one. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class Tunnel extends Lane.Timed {
    private final Lane lane;
    private final ClientExchange exchange;
    private final Channel client;
    private final Channel instance;
    private final VersionRoutes.Timeouts timeouts;
    private final Runnable release;
    private long clientBytes;
    private long instanceBytes;
    private long progress = Lane.now();
    private boolean closed;

    private Tunnel(
            Lane lane,
            ClientExchange exchange,
            Channel instance,
            VersionRoutes.Timeouts timeouts,
            Runnable release) {
        this.lane = lane;
        this.exchange = exchange;
        this.client = exchange.connection().channel();
        this.instance = instance;
        this.timeouts = timeouts;
        this.release = release;
    }

    /**
     * @param release called once, when the tunnel has closed
     */
    static void open(
            Lane lane,
            ClientExchange exchange,
            InstanceConnection to,
            VersionRoutes.Timeouts timeouts,
            Runnable release) {
        Tunnel tunnel = new Tunnel(lane, exchange, to.detach(), timeouts, release);
        exchange.tunnel();
        tunnel.client.pipeline().addLast(tunnel.new End(tunnel.instance, true));
        tunnel.instance.pipeline().addLast(tunnel.new End(tunnel.client, false));
        lane.watch(tunnel);
        exchange.connection().removeHttp();
        to.removeHttp();
        tunnel.client.config().setAutoRead(true);
        tunnel.instance.config().setAutoRead(true);
        if (!tunnel.client.isActive() || !tunnel.instance.isActive()) {
            tunnel.close();
        }
    }

    @Override
    void check(long nowNanos) {
        boolean idle = nowNanos - progress > timeouts.idle().toNanos();
        boolean late = exchange.facts().latencyNanos(nowNanos) > timeouts.request().toNanos();
        if (idle || late) {
            close();
        }
    }

    private void close() {
        if (closed) {
            return;
        }
        closed = true;
        lane.forget(this);
        closeWhenWritten(client);
        closeWhenWritten(instance);
        release.run();
        exchange.tunnelClosed(clientBytes, instanceBytes);
    }

    private static void closeWhenWritten(Channel channel) {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** One end, which reads from its channel and writes to the other. */
    private final class End extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private final boolean ofClient;

        End(Channel other, boolean ofClient) {
            this.other = other;
            this.ofClient = ofClient;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!(message instanceof ByteBuf bytes)) {
                ReferenceCountUtil.release(message);
                return;
            }
            progress = Lane.now();
            if (ofClient) {
                clientBytes += bytes.readableBytes();
            } else {
                instanceBytes += bytes.readableBytes();
            }
            other.write(bytes, other.voidPromise());
            if (!other.isWritable()) {
                other.flush();
                ctx.channel().config().setAutoRead(other.isWritable());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) {
                progress = Lane.now();
                other.config().setAutoRead(true);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            close();
        }
    }
}
