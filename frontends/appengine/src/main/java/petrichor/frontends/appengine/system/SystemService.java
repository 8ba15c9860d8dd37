package petrichor.frontends.appengine.system;

import com.google.apphosting.base.protos.SystemServicePb.SystemServiceError.ErrorCode;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;

/**
 * The API {@code system}. The server does not measure the processes of apps: the statistics are
 * empty, which SDKs show as 0. Immutable.
 */
public final class SystemService implements BundledService {
    @Override
    public String name() {
        return "system";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return switch (call.method()) {
            case "GetSystemStats" -> CompletableFuture.completedFuture(new byte[0]);
            case "StartBackgroundRequest" ->
                    throw new ServiceError(
                            ErrorCode.BACKEND_REQUIRED_VALUE,
                            "only versions with manual scaling have background requests");
            default -> throw call.unknownMethod();
        };
    }
}
