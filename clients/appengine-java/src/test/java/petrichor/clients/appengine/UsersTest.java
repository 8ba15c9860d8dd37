package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.oauth.OAuthRequestException;
import com.google.appengine.api.oauth.OAuthServiceFactory;
import com.google.appengine.api.users.User;
import com.google.appengine.api.users.UserService;
import com.google.appengine.api.users.UserServiceFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code com.google.appengine.api.users} and {@code oauth}. */
class UsersTest {
    private final App app = App.unique();
    private final UserService users = UserServiceFactory.getUserService();

    @Test
    void addressesOfThePages() throws Exception {
        app.run(() -> {
            assertThat(users.createLoginURL("/a?b=c")).isEqualTo("/_ah/login?continue=%2Fa%3Fb%3Dc");
            assertThat(users.createLogoutURL("/")).isEqualTo("/_ah/logout?continue=%2F");
            assertThatThrownBy(() -> users.createLoginURL("/" + "a".repeat(3000)))
                    .isInstanceOf(IllegalArgumentException.class);
        });
    }

    @Test
    void theUserOfARequest() throws Exception {
        Map<String, String> headers = Map.of(
                App.TICKET, app.project() + "/1",
                "X-AppEngine-User-Email", "ann@example.com",
                "X-AppEngine-User-Id", "1234",
                "X-AppEngine-Auth-Domain", "example.com",
                "X-AppEngine-User-Is-Admin", "1");
        app.call(headers, () -> {
            User user = users.getCurrentUser();
            assertThat(user.getEmail()).isEqualTo("ann@example.com");
            assertThat(user.getNickname()).isEqualTo("ann");
            assertThat(user.getUserId()).isEqualTo("1234");
            assertThat(users.isUserAdmin()).isTrue();
            return null;
        });
        app.run(() -> {
            assertThat(users.isUserLoggedIn()).isFalse();
            assertThat(users.getCurrentUser()).isNull();
        });
    }

    @Test
    void oauthIsNotSupported() throws Exception {
        app.run(() -> assertThatThrownBy(() -> OAuthServiceFactory.getOAuthService().getCurrentUser())
                .isInstanceOf(OAuthRequestException.class));
    }
}
