package petrichor.frontends.datastore;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.time.Instant;
import javax.net.ssl.SSLException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.PemIdentity;

/**
 * The certificate for clients. Immutable: a renewed certificate is another object.
 *
 * @param validUntil end of the validity of the server's own certificate
 */
record ServerCertificate(SslContext context, Instant validUntil) {
    /** FAILED_PRECONDITION if the files are invalid. */
    static ServerCertificate read(FrontEndSettings.Tls files) {
        PemIdentity identity = PemIdentity.read(files.certificateChain(), files.privateKey());
        try {
            return new ServerCertificate(context(identity), identity.validUntil());
        } catch (SSLException unusable) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    unusable,
                    "cannot use the certificate {certificateChain} for TLS: {reason}",
                    "certificateChain",
                    files.certificateChain(),
                    "reason",
                    unusable.getMessage());
        }
    }

    boolean isExpired(Instant now) {
        return now.isAfter(validUntil);
    }

    private static SslContext context(PemIdentity identity) throws SSLException {
        return SslContextBuilder.forServer(identity.key(), identity.chain())
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                // clients that offer both are curl or browsers; gRPC offers only
                                // HTTP/2, which here always means gRPC
                                ApplicationProtocolNames.HTTP_1_1,
                                ApplicationProtocolNames.HTTP_2))
                .build();
    }
}
