package petrichor.frontends.datastore;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Makes TLS from PEM files. */
final class Certificates {
    private Certificates() {}

    /** FAILED_PRECONDITION if the files cannot be used. */
    static @Nullable SslContext context(FrontEndSettings.@Nullable Tls tls) {
        if (tls == null) {
            return null;
        }
        try {
            return SslContextBuilder.forServer(
                            tls.certificateChain().toFile(), tls.privateKey().toFile())
                    .applicationProtocolConfig(
                            new ApplicationProtocolConfig(
                                    ApplicationProtocolConfig.Protocol.ALPN,
                                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                    ApplicationProtocolConfig.SelectedListenerFailureBehavior
                                            .ACCEPT,
                                    // who offers both is curl or a browser; gRPC offers only
                                    // HTTP/2, and HTTP/2 is gRPC here
                                    ApplicationProtocolNames.HTTP_1_1,
                                    ApplicationProtocolNames.HTTP_2))
                    .build();
        } catch (SSLException | IllegalArgumentException unusable) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "cannot use the certificate "
                            + tls.certificateChain()
                            + " with the key "
                            + tls.privateKey()
                            + ": both must be PEM files, the key PKCS 8 without a password ("
                            + unusable.getMessage()
                            + ")",
                    Map.of(),
                    unusable);
        }
    }
}
