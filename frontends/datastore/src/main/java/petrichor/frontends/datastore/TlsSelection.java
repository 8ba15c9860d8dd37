package petrichor.frontends.datastore;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.Optional;
import petrichor.rpc.PeerCertificates;

/**
 * Selects the TLS configuration of a connection on the port shared by clients and peers. Peers
 * request the name {@link PeerCertificates#NAME} (SNI) and must present a certificate of the
 * cluster's authority; clients receive the server's own certificate. If clients use plain text, a
 * connection that starts with TLS is a peer's. Thread-safe.
 */
record TlsSelection(Certificates clients, Optional<PeerCertificates> peers) {
    /** The first byte of a TLS handshake record. */
    private static final int HANDSHAKE = 22;

    /** The TLS handler of a new connection; empty if connections are not encrypted. */
    Optional<ChannelHandler> handler(ChannelHandlerContext ctx) {
        if (peers.isEmpty()) {
            return clients.present()
                    ? Optional.of(clients.context().newHandler(ctx.alloc()))
                    : Optional.empty();
        }
        PeerCertificates certificates = peers.get();
        return Optional.of(
                clients.present()
                        ? new SniHandler(name -> context(certificates, name))
                        : new PeersOnly(certificates.accepting()));
    }

    private SslContext context(PeerCertificates certificates, String name) {
        return PeerCertificates.NAME.equals(name) ? certificates.accepting() : clients.context();
    }

    /** Plain text, unless the connection starts with TLS. */
    private static final class PeersOnly extends ByteToMessageDecoder {
        private final SslContext context;

        PeersOnly(SslContext context) {
            this.context = context;
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            if (in.getUnsignedByte(in.readerIndex()) == HANDSHAKE) {
                ctx.pipeline().addAfter(ctx.name(), null, context.newHandler(ctx.alloc()));
            }
            ctx.pipeline().remove(this); // passes on the bytes read so far
        }
    }
}
