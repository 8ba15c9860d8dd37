package petrichor.frontends.appengine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.appidentity.AppIdentityServicePb.AppIdentityServiceError;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetPublicCertificateForAppRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetPublicCertificateForAppResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetServiceAccountNameRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetServiceAccountNameResponse;
import com.google.appengine.api.appidentity.AppIdentityServicePb.SignForAppRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.SignForAppResponse;
import com.google.appengine.api.capabilities.CapabilitiesPb.CapabilityConfig;
import com.google.appengine.api.capabilities.CapabilityServicePb.IsEnabledRequest;
import com.google.appengine.api.capabilities.CapabilityServicePb.IsEnabledResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetHostnameRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetHostnameResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetModulesRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetModulesResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetVersionsRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetVersionsResponse;
import com.google.appengine.api.modules.ModulesServicePb.ModulesServiceError;
import com.google.appengine.api.modules.ModulesServicePb.SetNumInstancesRequest;
import com.google.apphosting.api.logservice.LogServicePb.FlushRequest;
import com.google.apphosting.api.logservice.LogServicePb.LogReadRequest;
import com.google.apphosting.api.logservice.LogServicePb.LogReadResponse;
import com.google.apphosting.api.logservice.LogServicePb.LogServiceError;
import com.google.apphosting.api.logservice.LogServicePb.RequestLog;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogGroup;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogLine;
import com.google.apphosting.base.protos.SystemServicePb.SystemServiceError;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.net.URI;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.capability.CapabilityService;
import petrichor.frontends.appengine.identity.AppIdentityService;
import petrichor.frontends.appengine.logs.LogService;
import petrichor.frontends.appengine.modules.ModulesService;
import petrichor.frontends.appengine.system.SystemService;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.identity.AppIdentities;
import petrichor.transactions.databases.RowDatabases;

/** The APIs capability_service, app_identity_service, modules, system and logservice. */
final class SmallServicesTest {
    private static final String DEMO = "demo";

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final MemoryBudget logs = MemoryBudget.of("logs", 1 << 20);
    private final AppCaller apps =
            new AppCaller(
                    new CapabilityService(Set.of("memcache")),
                    new AppIdentityService(
                            new AppIdentities(
                                    () -> databases, TimeSource.SYSTEM, new SecureRandom())),
                    new ModulesService(Map.of(DEMO, URI.create("http://127.0.0.1:9000"))),
                    new SystemService(),
                    new LogService(logs, TimeSource.SYSTEM));

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private <M> M call(String api, String method, MessageLite request, Parser<M> parser) {
        return call(DEMO, api, method, request, parser);
    }

    private <M> M call(
            String project, String api, String method, MessageLite request, Parser<M> parser) {
        try {
            return parser.parseFrom(apps.call(project, api, method, request));
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    private int error(String api, String method, MessageLite request) {
        return apps.response(DEMO, api, method, request.toByteString())
                .getApplicationError()
                .getCode();
    }

    private IsEnabledResponse enabled(String api) {
        return call(
                "capability_service",
                "IsEnabled",
                IsEnabledRequest.newBuilder().setPackage(api).addCapability("*").build(),
                IsEnabledResponse.parser());
    }

    @Test
    void theApisOfTheServerAreEnabled() {
        assertThat(enabled("memcache").getSummaryStatus())
                .isEqualTo(IsEnabledResponse.SummaryStatus.ENABLED);
        assertThat(enabled("memcache").getConfig(0).getStatus())
                .isEqualTo(CapabilityConfig.Status.ENABLED);
        assertThat(enabled("xmpp").getSummaryStatus())
                .isEqualTo(IsEnabledResponse.SummaryStatus.DISABLED);
    }

    @Test
    void anAppHasAnAccountAndSigns() {
        String api = "app_identity_service";
        assertThat(
                        call(
                                        api,
                                        "GetServiceAccountName",
                                        GetServiceAccountNameRequest.getDefaultInstance(),
                                        GetServiceAccountNameResponse.parser())
                                .getServiceAccountName())
                .isEqualTo("demo@appspot.gserviceaccount.com");
        SignForAppResponse signed =
                call(
                        api,
                        "SignForApp",
                        SignForAppRequest.newBuilder()
                                .setBytesToSign(ByteString.copyFromUtf8("text"))
                                .build(),
                        SignForAppResponse.parser());
        GetPublicCertificateForAppResponse certificates =
                call(
                        api,
                        "GetPublicCertificatesForApp",
                        GetPublicCertificateForAppRequest.getDefaultInstance(),
                        GetPublicCertificateForAppResponse.parser());
        assertThat(certificates.getPublicCertificateList(0).getKeyName())
                .isEqualTo(signed.getKeyName());
        SignForAppRequest tooLarge =
                SignForAppRequest.newBuilder()
                        .setBytesToSign(ByteString.copyFrom(new byte[8_193]))
                        .build();
        assertThat(error(api, "SignForApp", tooLarge))
                .isEqualTo(AppIdentityServiceError.ErrorCode.BLOB_TOO_LARGE_VALUE);
    }

    @Test
    void anAccessTokenNeedsAScopeAndTheAppsOwnAccount() {
        String api = "app_identity_service";
        GetAccessTokenRequest.Builder request =
                GetAccessTokenRequest.newBuilder().addScope("https://example.com/auth");
        GetAccessTokenResponse token =
                call(api, "GetAccessToken", request.build(), GetAccessTokenResponse.parser());
        assertThat(token.getAccessToken()).isNotEmpty();
        assertThat(token.getExpirationTime()).isGreaterThan(System.currentTimeMillis() / 1_000);
        assertThat(error(api, "GetAccessToken", GetAccessTokenRequest.getDefaultInstance()))
                .isEqualTo(AppIdentityServiceError.ErrorCode.UNKNOWN_SCOPE_VALUE);
        assertThat(error(api, "GetAccessToken", as(request, "other@example.com")))
                .isEqualTo(AppIdentityServiceError.ErrorCode.NOT_ALLOWED_VALUE);
    }

    @SuppressWarnings("deprecation") // SDKs still send it
    private static GetAccessTokenRequest as(GetAccessTokenRequest.Builder request, String account) {
        return request.setServiceAccountName(account).build();
    }

    @Test
    void anAppHasOneVersion() {
        assertThat(
                        call(
                                        "modules",
                                        "GetModules",
                                        GetModulesRequest.getDefaultInstance(),
                                        GetModulesResponse.parser())
                                .getModuleList())
                .containsExactly("default");
        assertThat(
                        call(
                                        "modules",
                                        "GetVersions",
                                        GetVersionsRequest.getDefaultInstance(),
                                        GetVersionsResponse.parser())
                                .getVersionList())
                .containsExactly("v1");
        assertThat(
                        error(
                                "modules",
                                "GetVersions",
                                GetVersionsRequest.newBuilder().setModule("x").build()))
                .isEqualTo(ModulesServiceError.ErrorCode.INVALID_MODULE_VALUE);
        assertThat(
                        error(
                                "modules",
                                "SetNumInstances",
                                SetNumInstancesRequest.newBuilder().setInstances(2).build()))
                .isEqualTo(ModulesServiceError.ErrorCode.INVALID_VERSION_VALUE);
    }

    @Test
    void theHostNameIsThatOfTheTarget() {
        GetHostnameRequest request = GetHostnameRequest.getDefaultInstance();
        assertThat(
                        call("modules", "GetHostname", request, GetHostnameResponse.parser())
                                .getHostname())
                .isEqualTo("127.0.0.1:9000");
        assertThat(
                        call(
                                        "other",
                                        "modules",
                                        "GetHostname",
                                        request,
                                        GetHostnameResponse.parser())
                                .getHostname())
                .isEqualTo("localhost:8080");
        assertThat(error("modules", "GetHostname", request.toBuilder().setVersion("v2").build()))
                .isEqualTo(ModulesServiceError.ErrorCode.INVALID_VERSION_VALUE);
    }

    @Test
    void aVersionWithAutomaticScalingHasNoBackgroundRequests() {
        assertThat(
                        error(
                                "system",
                                "StartBackgroundRequest",
                                GetModulesRequest.getDefaultInstance()))
                .isEqualTo(SystemServiceError.ErrorCode.BACKEND_REQUIRED_VALUE);
        assertThat(
                        apps.call(
                                DEMO,
                                "system",
                                "GetSystemStats",
                                GetModulesRequest.getDefaultInstance()))
                .isEqualTo(ByteString.EMPTY);
    }

    private void flush(String project, long level, String... messages) {
        UserAppLogGroup.Builder lines = UserAppLogGroup.newBuilder();
        for (String message : messages) {
            lines.addLogLine(
                    UserAppLogLine.newBuilder()
                            .setTimestampUsec(1)
                            .setLevel(level)
                            .setMessage(message));
        }
        apps.call(
                project,
                "logservice",
                "Flush",
                FlushRequest.newBuilder().setLogs(lines.build().toByteString()).build());
    }

    private LogReadResponse read(String project, LogReadRequest.Builder request) {
        return call(
                project,
                "logservice",
                "Read",
                request.setAppId(project).setIncludeAppLogs(true).build(),
                LogReadResponse.parser());
    }

    private static String message(RequestLog record) {
        return record.getLine(0).getLogMessage();
    }

    @Test
    void anAppReadsItsNewestLines() {
        for (int i = 0; i < 5; i++) {
            flush(DEMO, i, "line " + i);
        }
        flush("other", 0, "of another app");
        LogReadResponse first = read(DEMO, LogReadRequest.newBuilder().setCount(2));
        assertThat(first.getLogList())
                .extracting(SmallServicesTest::message)
                .containsExactly("line 4", "line 3");
        assertThat(
                        read(
                                        DEMO,
                                        LogReadRequest.newBuilder()
                                                .setCount(10)
                                                .setOffset(first.getOffset()))
                                .getLogList())
                .extracting(SmallServicesTest::message)
                .containsExactly("line 2", "line 1", "line 0");
        assertThat(read(DEMO, LogReadRequest.newBuilder().setMinimumLogLevel(3)).getLogList())
                .hasSize(2);
        assertThat(
                        error(
                                "logservice",
                                "Read",
                                LogReadRequest.newBuilder().setAppId("other").build()))
                .isEqualTo(LogServiceError.ErrorCode.INVALID_REQUEST_VALUE);
    }

    @Test
    void linesOccupyLimitedMemory() {
        for (int app = 0; app < 6; app++) {
            for (int i = 0; i < 100; i++) {
                flush("app-" + app, 0, "x".repeat(20_000));
            }
        }
        assertThat(logs.bytesUsed()).isLessThanOrEqualTo(1 << 20);
        assertThat(read("app-0", LogReadRequest.newBuilder()).getLogCount()).isPositive();
        assertThat(message(read("app-0", LogReadRequest.newBuilder()).getLog(0))).hasSize(8 << 10);
    }
}
