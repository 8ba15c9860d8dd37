package guestbook;

import java.util.List;

/** The page of the application. */
final class Page {
    private static final String HEAD =
            """
            <!doctype html><html lang="en"><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>Guestbook</title>
            <style>
              :root { color-scheme: light dark }
              body { font: 17px/1.55 Georgia, serif; max-width: 38rem; margin: 3rem auto; padding: 0 1.2rem }
              form, article { border: 1px solid #8886; border-radius: .7rem; padding: 1rem 1.2rem; margin: 1.2rem 0 }
              input, textarea { box-sizing: border-box; width: 100%; font: inherit; margin-bottom: .6rem }
              article p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere } footer { font-size: .85rem; opacity: .65 }
              button { font: inherit; color: #fff; background: #2f7d5b; border: 0; border-radius: 2rem; padding: .45rem 1.4rem }
            </style>
            """;
    private static final String FORM =
            """
            <form method="post"><input name="author" placeholder="Your name" aria-label="Your name">
            <textarea name="text" rows="3" placeholder="Leave a greeting" aria-label="Greeting" required></textarea>
            <button>Sign</button></form>
            """;

    private Page() {}

    static String of(long count, List<Guestbook.Greeting> newest) {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("<h1>Guestbook <small>").append(count).append("</small></h1>").append(FORM);
        for (Guestbook.Greeting greeting : newest) {
            page.append("<article><p>")
                    .append(escaped(greeting.text()))
                    .append("</p><footer>")
                    .append(escaped(greeting.author()))
                    .append(", ")
                    .append(greeting.written())
                    .append("</footer></article>\n");
        }
        return page.toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
