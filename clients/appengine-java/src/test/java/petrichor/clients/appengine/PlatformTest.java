package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.appidentity.AppIdentityService;
import com.google.appengine.api.appidentity.AppIdentityServiceFactory;
import com.google.appengine.api.appidentity.PublicCertificate;
import com.google.appengine.api.capabilities.CapabilitiesServiceFactory;
import com.google.appengine.api.capabilities.Capability;
import com.google.appengine.api.capabilities.CapabilityStatus;
import com.google.appengine.api.log.AppLogLine;
import com.google.appengine.api.log.LogQuery;
import com.google.appengine.api.log.LogService;
import com.google.appengine.api.log.LogServiceFactory;
import com.google.appengine.api.log.RequestLogs;
import com.google.appengine.api.modules.ModulesException;
import com.google.appengine.api.modules.ModulesService;
import com.google.appengine.api.modules.ModulesServiceFactory;
import com.google.apphosting.api.ApiProxy;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an app learns about itself: {@code appidentity}, {@code modules}, {@code capabilities}, {@code log}. */
class PlatformTest {
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    private final App app = App.unique();
    private final AppIdentityService identity = AppIdentityServiceFactory.getAppIdentityService();
    private final ModulesService modules = ModulesServiceFactory.getModulesService();
    private final LogService logs = LogServiceFactory.getLogService();

    @Test
    void namesOfTheApp() throws Exception {
        app.run(() -> {
            assertThat(identity.getServiceAccountName()).isEqualTo(app.project() + "@appspot.gserviceaccount.com");
            assertThat(identity.getDefaultGcsBucketName()).isEqualTo(app.project() + ".appspot.com");
            assertThat(identity.parseFullAppId("s~" + app.project()).getId()).isEqualTo(app.project());
        });
    }

    @Test
    void aSignatureIsVerifiedWithTheCertificate() throws Exception {
        app.run(() -> {
            AppIdentityService.SigningResult signed = identity.signForApp(TEXT);
            Collection<PublicCertificate> certificates = identity.getPublicCertificatesForApp();
            assertThat(certificates)
                    .extracting(PublicCertificate::getCertificateName)
                    .containsExactly(signed.getKeyName());
            String pem = certificates.iterator().next().getX509CertificateInPemFormat();
            Certificate certificate = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(certificate);
            signature.update(TEXT);
            assertThat(signature.verify(signed.getSignature())).isTrue();
        });
    }

    @Test
    void accessTokens() throws Exception {
        app.run(() -> {
            List<String> scopes = List.of("https://example.com/auth");
            AppIdentityService.GetAccessTokenResult token = identity.getAccessTokenUncached(scopes);
            assertThat(token.getAccessToken()).isNotEmpty();
            assertThat(token.getExpirationTime()).isAfter(new Date());
            String cached = identity.getAccessToken(scopes).getAccessToken();
            assertThat(identity.getAccessToken(scopes).getAccessToken()).isEqualTo(cached);
        });
    }

    @Test
    void servicesAndVersions() throws Exception {
        app.run(() -> {
            assertThat(modules.getCurrentModule()).isEqualTo("default");
            assertThat(modules.getModules()).containsExactly("default");
            assertThat(modules.getVersions("default")).containsExactly("v1");
            assertThat(modules.getDefaultVersion("default")).isEqualTo("v1");
            assertThat(modules.getNumInstances("default", "v1")).isOne();
            assertThat(modules.getVersionHostname("default", "v1")).isEqualTo("localhost:8080");
        });
    }

    @Test
    void versionsThatScaleAutomaticallyAreNotChanged() throws Exception {
        app.run(() -> {
            assertThatThrownBy(() -> modules.getVersions("nothing")).isInstanceOf(ModulesException.class);
            assertThatThrownBy(() -> modules.getNumInstances("default", "v9")).isInstanceOf(ModulesException.class);
            assertThatThrownBy(() -> modules.setNumInstances("default", "v1", 2)).isInstanceOf(ModulesException.class);
            assertThatThrownBy(() -> modules.startVersion("default", "v1")).isInstanceOf(ModulesException.class);
            assertThatThrownBy(() -> modules.stopVersion("default", "v1")).isInstanceOf(ModulesException.class);
        });
    }

    /** The SDK asks the server for this capability only, and says of all others that they are enabled. */
    @Test
    void writesAreEnabled() throws Exception {
        app.run(() -> assertThat(CapabilitiesServiceFactory.getCapabilitiesService()
                        .getStatus(Capability.DATASTORE_WRITE)
                        .getStatus())
                .isEqualTo(CapabilityStatus.ENABLED));
    }

    private List<String> messages(LogQuery query) {
        List<String> messages = new ArrayList<>();
        for (RequestLogs request : logs.fetch(query)) {
            for (AppLogLine line : request.getAppLogLines()) {
                messages.add(line.getLogLevel() + " " + line.getLogMessage());
            }
        }
        return messages;
    }

    @Test
    void linesOfTheLogAreRead() throws Exception {
        app.run(() -> {
            log(ApiProxy.LogRecord.Level.info, "started");
            log(ApiProxy.LogRecord.Level.error, "fäiled");
            LogQuery all = LogQuery.Builder.withIncludeAppLogs(true);
            assertThat(messages(all)).containsExactly("ERROR fäiled", "INFO started");
            assertThat(messages(all.clone().batchSize(1))).containsExactly("ERROR fäiled", "INFO started");
            assertThat(messages(all.clone().minLogLevel(LogService.LogLevel.ERROR))).containsExactly("ERROR fäiled");
            assertThat(messages(all.clone().endTimeMillis(1))).isEmpty();
            RequestLogs newest = logs.fetch(LogQuery.Builder.withDefaults()).iterator().next();
            assertThat(newest.getVersionId()).isEqualTo("v1");
            assertThat(newest.getAppLogLines()).isEmpty();
        });
        App.unique().run(() -> assertThat(messages(LogQuery.Builder.withIncludeAppLogs(true))).isEmpty());
    }

    private static void log(ApiProxy.LogRecord.Level level, String message) {
        ApiProxy.log(new ApiProxy.LogRecord(level, System.currentTimeMillis() * 1000, message));
        ApiProxy.flushLogs();
    }
}
