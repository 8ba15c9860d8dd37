package petrichor.frontends.appengine.user;

import com.google.apphosting.api.UserServicePb.CreateLoginURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLoginURLResponse;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLResponse;
import com.google.apphosting.api.UserServicePb.UserServiceError.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.users.ContinueUrl;

/**
 * The API {@code user}. Its URLs lead to {@link SignInPages}; whether a destination is harmless is
 * checked there. Thread-safe.
 */
public final class UserApi implements BundledService {
    private final String base;
    private final Function<String, @Nullable URI> apps;

    /**
     * @param base beginning of the URLs of our pages, such as {@code https://login.example}; empty
     *     if the router serves them on each app's own host
     * @param apps where users reach an app, by project; null if unknown
     */
    public UserApi(String base, Function<String, @Nullable URI> apps) {
        this.base = base;
        this.apps = apps;
    }

    @Override
    public String name() {
        return "user";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            return CompletableFuture.completedFuture(answer(call).toByteArray());
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.invalid(
                    "the request of user.{method} cannot be decoded", "method", call.method());
        }
    }

    private MessageLite answer(ServiceCall call) throws InvalidProtocolBufferException {
        return switch (call.method()) {
            case "CreateLoginURL" ->
                    CreateLoginURLResponse.newBuilder()
                            .setLoginUrl(
                                    url(
                                            call.app().project(),
                                            SignInPages.LOGIN,
                                            CreateLoginURLRequest.parseFrom(call.request())
                                                    .getDestinationUrl()))
                            .build();
            case "CreateLogoutURL" ->
                    CreateLogoutURLResponse.newBuilder()
                            .setLogoutUrl(
                                    url(
                                            call.app().project(),
                                            SignInPages.LOGOUT,
                                            CreateLogoutURLRequest.parseFrom(call.request())
                                                    .getDestinationUrl()))
                            .build();
            case "GetOAuthUser", "CheckOAuthSignature" ->
                    throw new ServiceError(
                            ErrorCode.OAUTH_INVALID_REQUEST_VALUE,
                            "this platform does not support OAuth; use the users API");
            default -> throw call.unknownMethod();
        };
    }

    /** On another host than the app's, a path alone would not lead back to it. */
    private String url(String project, String page, String destination) {
        if (destination.length() > ContinueUrl.CHARS_MAX) {
            throw new ServiceError(
                    ErrorCode.REDIRECT_URL_TOO_LONG_VALUE,
                    "the destination is longer than " + ContinueUrl.CHARS_MAX + " characters");
        }
        URI app = base.isEmpty() || !destination.startsWith("/") ? null : apps.apply(project);
        return base
                + page
                + "?continue="
                + URLEncoder.encode(
                        app == null
                                ? destination
                                : app.getScheme() + "://" + app.getAuthority() + destination,
                        StandardCharsets.UTF_8);
    }
}
