package petrichor.frontends.appengine.user;

import java.time.Duration;
import petrichor.frontends.http.Page;

/** Cookies of our pages: for the server only, and not sent along with requests of other sites. */
record Cookies(boolean secure) {
    /** Signed session; see {@code Sessions}. */
    static final String SESSION = "petrichor-session";

    /** Token against forged sign-ins, or the memory of a sign-in at an OpenID provider. */
    static final String SIGN_IN = "petrichor-sign-in";

    /** Empty if the request does not have it. */
    static String read(Page.Request request, String name) {
        String header = request.headers().getOrDefault("cookie", "");
        for (String pair : header.split(";", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
                return pair.substring(equals + 1).strip();
            }
        }
        return "";
    }

    /** Lax: a link from another site to an app finds the user signed in; a form does not. */
    String set(String name, String value, Duration lifetime) {
        return name
                + "="
                + value
                + "; Path=/; HttpOnly; SameSite=Lax; Max-Age="
                + lifetime.toSeconds()
                + (secure ? "; Secure" : "");
    }

    String delete(String name) {
        return set(name, "", Duration.ZERO);
    }
}
