package petrichor.frontends.appengine.user;

/** The page where users sign in. Without scripts. */
final class SignInHtml {
    private static final String PAGE =
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Sign in</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 22rem; padding: 0 1rem;
              color: #1b1b1b; background: #fff }
            label { display: block; margin-top: 1rem }
            input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem }
            button { margin-top: 1.5rem; color: #fff; background: #0b57d0; border: 0; border-radius: .25rem }
            :focus-visible { outline: 3px solid #f9ab00; outline-offset: 2px }
            [role=alert] { color: #b3261e }
            @media (prefers-color-scheme: dark) {
              body { color: #e3e3e3; background: #1b1b1b } [role=alert] { color: #f2b8b5 } a { color: #a8c7fa } }
            </style>
            </head>
            <body>
            <main>
            <h1>Sign in</h1>
            {problem}<form method="post" action="/_ah/login">
            <input type="hidden" name="token" value="{token}">
            <input type="hidden" name="continue" value="{continue}">
            <label for="email">Email address</label>
            <input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="{email}">
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024">
            <button type="submit">Sign in</button>
            </form>
            {openid}</main>
            </body>
            </html>
            """;

    private SignInHtml() {}

    /**
     * @param problem what went wrong; empty at the first time
     * @param openId URL that starts a sign-in at the OpenID provider; empty without one
     */
    static String page(
            String token, String continueUrl, String email, String problem, String openId) {
        return PAGE.replace(
                        "{problem}",
                        problem.isEmpty() ? "" : "<p role=\"alert\">" + escaped(problem) + "</p>\n")
                .replace(
                        "{openid}",
                        openId.isEmpty()
                                ? ""
                                : "<p><a href=\""
                                        + escaped(openId)
                                        + "\">Sign in with your"
                                        + " organization</a></p>\n")
                .replace("{token}", escaped(token))
                .replace("{continue}", escaped(continueUrl))
                .replace("{email}", escaped(email));
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;")
                // What the user typed must not be replaced as if it were ours.
                .replace("{", "&#123;");
    }
}
