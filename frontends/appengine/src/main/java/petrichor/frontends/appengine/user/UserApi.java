package petrichor.frontends.appengine.user;

import com.google.apphosting.api.UserServicePb.CreateLoginURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLoginURLResponse;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLResponse;
import com.google.apphosting.api.UserServicePb.UserServiceError.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
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

    /**
     * @param base beginning of the URLs of our pages, such as {@code https://login.example}; empty
     *     if the router serves them on each app's own host
     */
    public UserApi(String base) {
        this.base = base;
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
                                            SignInPages.LOGIN,
                                            CreateLoginURLRequest.parseFrom(call.request())
                                                    .getDestinationUrl()))
                            .build();
            case "CreateLogoutURL" ->
                    CreateLogoutURLResponse.newBuilder()
                            .setLogoutUrl(
                                    url(
                                            SignInPages.LOGOUT,
                                            CreateLogoutURLRequest.parseFrom(call.request())
                                                    .getDestinationUrl()))
                            .build();
            case "GetOAuthUser" ->
                    throw new ServiceError(
                            ErrorCode.OAUTH_INVALID_REQUEST_VALUE,
                            "this platform does not support OAuth; use the users API");
            default ->
                    throw PetrichorException.invalid(
                            "user has no method {method}", "method", call.method());
        };
    }

    private String url(String page, String destination) {
        if (destination.length() > ContinueUrl.CHARS_MAX) {
            throw new ServiceError(
                    ErrorCode.REDIRECT_URL_TOO_LONG_VALUE,
                    "the destination is longer than " + ContinueUrl.CHARS_MAX + " characters");
        }
        return base + page + "?continue=" + URLEncoder.encode(destination, StandardCharsets.UTF_8);
    }
}
