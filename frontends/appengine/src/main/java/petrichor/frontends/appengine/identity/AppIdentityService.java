package petrichor.frontends.appengine.identity;

import com.google.appengine.api.appidentity.AppIdentityServicePb.AppIdentityServiceError.ErrorCode;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetDefaultGcsBucketNameResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetPublicCertificateForAppResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetServiceAccountNameResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.PublicCertificate;
import com.google.appengine.api.appidentity.AppIdentityServicePb.SignForAppRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.SignForAppResponse;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.identity.AppIdentities;

/** The API {@code app_identity_service} on {@link AppIdentities}. Thread-safe. */
public final class AppIdentityService implements BundledService {
    /** How long clients may keep the certificates. */
    private static final Duration CERTIFICATES_KEPT = Duration.ofHours(1);

    private static final Duration TOKEN_VALIDITY = Duration.ofHours(1);

    private final AppIdentities identities;

    public AppIdentityService(AppIdentities identities) {
        this.identities = identities;
    }

    @Override
    public String name() {
        return "app_identity_service";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return CompletableFuture.completedFuture(answer(call).toByteArray());
    }

    private MessageLite answer(ServiceCall call) {
        String project = call.app().project();
        return switch (call.method()) {
            case "GetServiceAccountName" ->
                    GetServiceAccountNameResponse.newBuilder()
                            .setServiceAccountName(AppIdentities.serviceAccount(project))
                            .build();
            case "GetDefaultGcsBucketName" ->
                    GetDefaultGcsBucketNameResponse.newBuilder()
                            .setDefaultGcsBucketName(project + ".appspot.com")
                            .build();
            case "SignForApp" -> signed(project, call.parsed(SignForAppRequest.parser()));
            case "GetPublicCertificatesForApp" -> certificates(project);
            case "GetAccessToken" -> token(project, call.parsed(GetAccessTokenRequest.parser()));
            default -> throw call.unknownMethod();
        };
    }

    private SignForAppResponse signed(String project, SignForAppRequest request) {
        if (request.getBytesToSign().size() > AppIdentities.SIGNED_BYTES_MAX) {
            throw new ServiceError(
                    ErrorCode.BLOB_TOO_LARGE_VALUE,
                    "there are "
                            + request.getBytesToSign().size()
                            + " bytes to sign, at most "
                            + AppIdentities.SIGNED_BYTES_MAX
                            + " are allowed");
        }
        AppIdentities.Signed signed =
                identities.sign(project, request.getBytesToSign().toByteArray());
        return SignForAppResponse.newBuilder()
                .setKeyName(signed.keyName())
                .setSignatureBytes(ByteString.copyFrom(signed.signature()))
                .build();
    }

    private GetPublicCertificateForAppResponse certificates(String project) {
        GetPublicCertificateForAppResponse.Builder response =
                GetPublicCertificateForAppResponse.newBuilder()
                        .setMaxClientCacheTimeInSecond(CERTIFICATES_KEPT.toSeconds());
        identities
                .certificates(project)
                .forEach(
                        one ->
                                response.addPublicCertificateList(
                                        PublicCertificate.newBuilder()
                                                .setKeyName(one.keyName())
                                                .setX509CertificatePem(one.pem())));
        return response.build();
    }

    private GetAccessTokenResponse token(String project, GetAccessTokenRequest request) {
        if (request.getScopeCount() == 0) {
            throw new ServiceError(ErrorCode.UNKNOWN_SCOPE_VALUE, "the request names no scope");
        }
        String account = account(request);
        if (!account.isEmpty() && !account.equals(AppIdentities.serviceAccount(project))) {
            throw new ServiceError(ErrorCode.NOT_ALLOWED_VALUE, "the app cannot act as " + account);
        }
        AppIdentities.AccessToken token =
                identities.accessToken(project, request.getScopeList(), TOKEN_VALIDITY);
        return GetAccessTokenResponse.newBuilder()
                .setAccessToken(token.token())
                .setExpirationTime(token.expires().getEpochSecond())
                .build();
    }

    @SuppressWarnings("deprecation") // SDKs still send it
    private static String account(GetAccessTokenRequest request) {
        return request.getServiceAccountName();
    }
}
