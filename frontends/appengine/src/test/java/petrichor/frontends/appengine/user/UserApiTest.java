package petrichor.frontends.appengine.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.apphosting.api.UserServicePb.CreateLoginURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLoginURLResponse;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLRequest;
import com.google.apphosting.api.UserServicePb.CreateLogoutURLResponse;
import com.google.apphosting.api.UserServicePb.GetOAuthUserRequest;
import com.google.apphosting.api.UserServicePb.UserServiceError.ErrorCode;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.MessageLite;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.users.Account;
import petrichor.services.users.Accounts;
import petrichor.transactions.databases.RowDatabases;

final class UserApiTest {
    private final UserApi service = new UserApi("", _ -> null);

    @Test
    void urlsLeadToOurPages() throws Exception {
        assertThat(
                        CreateLoginURLResponse.parseFrom(
                                        call(
                                                "CreateLoginURL",
                                                CreateLoginURLRequest.newBuilder()
                                                        .setDestinationUrl("/a?b=c&d")
                                                        .build()))
                                .getLoginUrl())
                .isEqualTo("/_ah/login?continue=%2Fa%3Fb%3Dc%26d");
        assertThat(
                        CreateLogoutURLResponse.parseFrom(
                                        call(
                                                "CreateLogoutURL",
                                                CreateLogoutURLRequest.newBuilder()
                                                        .setDestinationUrl("/")
                                                        .build()))
                                .getLogoutUrl())
                .isEqualTo("/_ah/logout?continue=%2F");
    }

    @Test
    void pagesOnAnotherHostLeadBackToTheApp() throws Exception {
        UserApi elsewhere =
                new UserApi(
                        "https://login.example",
                        project ->
                                project.equals("demo")
                                        ? URI.create("http://app.example:81/")
                                        : null);
        byte[] request =
                CreateLoginURLRequest.newBuilder()
                        .setDestinationUrl("//evil/a")
                        .build()
                        .toByteArray();
        assertThat(
                        CreateLoginURLResponse.parseFrom(
                                        elsewhere
                                                .call(
                                                        new ServiceCall(
                                                                "CreateLoginURL",
                                                                request,
                                                                CallingApp.of("demo"),
                                                                Cancellation.never()))
                                                .join())
                                .getLoginUrl())
                .isEqualTo(
                        "https://login.example/_ah/login?continue=http%3A%2F%2Fapp.example%3A81%2F%2Fevil%2Fa");
    }

    @Test
    void errorsHaveTheCodesOfTheApi() {
        assertThatThrownBy(
                        () ->
                                call(
                                        "CreateLoginURL",
                                        CreateLoginURLRequest.newBuilder()
                                                .setDestinationUrl("/" + "a".repeat(2048))
                                                .build()))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error ->
                                assertThat(error.code())
                                        .isEqualTo(ErrorCode.REDIRECT_URL_TOO_LONG_VALUE));
        assertThatThrownBy(() -> call("GetOAuthUser", GetOAuthUserRequest.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error ->
                                assertThat(error.code())
                                        .isEqualTo(ErrorCode.OAUTH_INVALID_REQUEST_VALUE));
    }

    private byte[] call(String method, MessageLite request) {
        return service.call(
                        new ServiceCall(
                                method,
                                request.toByteArray(),
                                CallingApp.of("demo"),
                                Cancellation.never()))
                .join();
    }

    @Test
    void operatorsManageAccounts() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases = new RowDatabases(store);
                AuditLog audit = AuditLog.off()) {
            Accounts accounts =
                    new Accounts(() -> databases.open(Accounts.DATABASE), new SecureRandom());
            UserPages pages = new UserPages(accounts);
            String email = "\"email\": \"ann@example.com\"";
            assertThat(
                            ask(
                                    pages,
                                    audit,
                                    "{\"action\": \"add\", "
                                            + email
                                            + ", \"password\": \"correct horse\"}"))
                    .isEqualTo(200);
            assertThat(ask(pages, audit, "{\"action\": \"add\", " + email + "}")).isEqualTo(409);
            assertThat(
                            ask(
                                    pages,
                                    audit,
                                    "{\"action\": \"grant\", "
                                            + email
                                            + ", \"project\": \"demo\"}"))
                    .isEqualTo(200);
            assertThat(ask(pages, audit, "{\"action\": \"grant\", " + email + ", \"cloud\": true}"))
                    .isEqualTo(200);
            assertThat(ask(pages, audit, "{\"action\": \"grant\", " + email + "}")).isEqualTo(400);
            assertThat(accounts.admins("demo")).containsExactly("ann@example.com");
            Account ann = accounts.find("ann@example.com").orElseThrow();
            assertThat(ann.roles().cloudAdmin()).isTrue();
            JsonObject listed =
                    JsonParser.parseString(body(pages, audit, "GET", ""))
                            .getAsJsonObject()
                            .getAsJsonArray("users")
                            .get(0)
                            .getAsJsonObject();
            assertThat(listed.toString())
                    .contains("\"adminOf\":[\"demo\"]", "\"password\":true")
                    .doesNotContain("argon2");
            assertThat(
                            ask(
                                    pages,
                                    audit,
                                    "{\"action\": \"revoke\", " + email + ", \"cloud\": true}"))
                    .isEqualTo(200);
            assertThat(accounts.admins("other")).isEmpty();
            assertThat(ask(pages, audit, "{\"action\": \"remove\", " + email + "}")).isEqualTo(200);
            assertThat(ask(pages, audit, "{\"action\": \"remove\", " + email + "}")).isEqualTo(409);
            assertThat(ask(pages, audit, "nonsense")).isEqualTo(400);
            assertThat(ask(pages, audit, "[]")).isEqualTo(400);
            assertThat(ask(pages, audit, "{\"action\": {}}")).isEqualTo(400);
            assertThat(pages.pages()).allMatch(page -> page.access() == Page.Access.ADMIN);
        }
    }

    private static int ask(UserPages pages, AuditLog audit, String body) {
        return answer(pages, audit, "POST", body).status();
    }

    private static String body(UserPages pages, AuditLog audit, String method, String body) {
        return new String(answer(pages, audit, method, body).body(), StandardCharsets.UTF_8);
    }

    private static Page.Answer answer(UserPages pages, AuditLog audit, String method, String body) {
        return pages.pages().stream()
                .filter(page -> page.method().equals(method))
                .findFirst()
                .orElseThrow()
                .answer()
                .apply(
                        new Page.Request(
                                "/petrichor/v1/users",
                                Map.of(),
                                Map.of(),
                                body.getBytes(StandardCharsets.UTF_8),
                                "application/json",
                                "",
                                null,
                                Map.of(),
                                new AccessAttempt(audit, "http", "/petrichor/v1/users", null),
                                Cancellation.never(),
                                new Page.Raw(method, "/petrichor/v1/users", RequestBody.EMPTY)));
    }
}
