package petrichor.services.search.expression;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.query.Condition;
import petrichor.services.search.query.QueryParser;
import petrichor.services.search.text.HtmlText;
import petrichor.services.search.text.Stemmers;
import petrichor.services.search.text.Words;

/**
 * {@code snippet(query, field, charsMax)}: a passage of a text as HTML, with the words of the query
 * in bold. It starts shortly before the first of these words; without any, at the start of the
 * text.
 */
final class Snippet {
    private static final int CHARS_DEFAULT = 160;
    private static final int CHARS_MAX = 10_000;

    /** Only the start of a long text is examined. */
    private static final int EXAMINED_CHARS_MAX = 100_000;

    private static final String CUT = "...";

    private final Set<String> words = new HashSet<>();
    private final Set<String> stems = new HashSet<>();
    private final Stemmers stemmers = new Stemmers();
    private final String language;
    private final String field;

    /** A piece of text without whitespace. */
    private record Piece(int from, int to, boolean bold) {}

    private Snippet(String field, String language) {
        this.field = field;
        this.language = language;
    }

    /** Null if the document has no such text. */
    static @Nullable FieldValue of(Expression.Call call, SearchDocument document) {
        String name = ((Expression.Name) call.arguments().get(1)).name();
        SearchField field = document.first(name, SearchFieldType::textual);
        if (field == null || !(field.value() instanceof FieldValue.Text text)) {
            return null;
        }
        Snippet snippet = new Snippet(name, document.language(field));
        snippet.addWords(queryOf(call.arguments().getFirst()));
        String plain = text.type() == SearchFieldType.HTML ? HtmlText.of(text.text()) : text.text();
        return new FieldValue.Text(
                SearchFieldType.HTML, snippet.passage(plain, charsMax(call.arguments())));
    }

    private static String queryOf(Expression expression) {
        return switch (expression) {
            case Expression.Quoted(String text) -> text;
            case Expression.Name(String name) -> name;
            case Expression.Literal(double number) -> Double.toString(number);
            case Expression.Negation _,
                    Expression.Arithmetic _,
                    Expression.Call _,
                    Expression.Undefined _ ->
                    "";
        };
    }

    private static int charsMax(List<Expression> arguments) {
        return arguments.size() > 2 && arguments.get(2) instanceof Expression.Literal(double chars)
                ? (int) Math.clamp(chars, 1, CHARS_MAX)
                : CHARS_DEFAULT;
    }

    private void addWords(String query) {
        try {
            addWords(QueryParser.parse(query));
        } catch (PetrichorException _) {
            // Not a query: its words are.
            Words.of(query).forEach(word -> words.add(word.term()));
        }
    }

    private void addWords(Condition condition) {
        switch (condition) {
            case Condition.And and -> and.conditions().forEach(this::addWords);
            case Condition.Or or -> or.conditions().forEach(this::addWords);
            case Condition.Has has -> {
                if (has.field() == null || has.field().equals(field)) {
                    addWords(has.value());
                }
            }
            case Condition.Everything _,
                    Condition.Not _,
                    Condition.Compare _,
                    Condition.Distance _ -> {}
        }
    }

    private void addWords(Condition.Value value) {
        for (Words.Word word : Words.of(value.text())) {
            words.add(word.term());
            if (value instanceof Condition.Stem) {
                stems.add(stemmers.stem(language, word.term()));
            }
        }
    }

    private String passage(String whole, int charsMax) {
        String text =
                whole.length() > EXAMINED_CHARS_MAX
                        ? whole.substring(0, EXAMINED_CHARS_MAX)
                        : whole;
        List<Piece> pieces = pieces(text);
        int first = 0;
        while (first < pieces.size() && !pieces.get(first).bold()) {
            first++;
        }
        if (first == pieces.size()) {
            first = 0;
        }
        int from = first;
        // A third of the passage precedes the first match.
        while (from > 0 && pieces.get(first).from() - pieces.get(from - 1).from() <= charsMax / 3) {
            from--;
        }
        int to = from;
        int start = pieces.isEmpty() ? 0 : pieces.get(from).from();
        while (to < pieces.size() && (to == from || pieces.get(to).to() - start <= charsMax)) {
            to++;
        }
        StringBuilder passage = new StringBuilder(from > 0 ? CUT : "");
        for (int i = from; i < to; i++) {
            append(passage, text, pieces.get(i), charsMax);
            if (i + 1 < to) {
                passage.append(' ');
            }
        }
        boolean complete = to == pieces.size() && text.length() == whole.length();
        return passage.append(complete ? "" : CUT).toString();
    }

    private List<Piece> pieces(String text) {
        List<Piece> pieces = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            int from = at;
            while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            if (at > from) {
                pieces.add(new Piece(from, at, matches(text.substring(from, at))));
            }
        }
        return pieces;
    }

    private boolean matches(String piece) {
        for (Words.Word word : Words.of(piece)) {
            if (words.contains(word.term())
                    || (!stems.isEmpty() && stems.contains(stemmers.stem(language, word.term())))) {
                return true;
            }
        }
        return false;
    }

    private static void append(StringBuilder passage, String text, Piece piece, int charsMax) {
        int from = piece.from();
        int to = Math.min(piece.to(), from + charsMax);
        if (!piece.bold()) {
            appendEscaped(passage, text, from, to);
            return;
        }
        int wordFrom = from;
        while (wordFrom < to && !Character.isLetterOrDigit(text.charAt(wordFrom))) {
            wordFrom++;
        }
        int wordTo = to;
        while (wordTo > wordFrom && !Character.isLetterOrDigit(text.charAt(wordTo - 1))) {
            wordTo--;
        }
        appendEscaped(passage, text, from, wordFrom);
        passage.append("<b>");
        appendEscaped(passage, text, wordFrom, wordTo);
        passage.append("</b>");
        appendEscaped(passage, text, wordTo, to);
    }

    private static void appendEscaped(StringBuilder html, String text, int from, int to) {
        for (int i = from; i < to; i++) {
            switch (text.charAt(i)) {
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '&' -> html.append("&amp;");
                default -> html.append(text.charAt(i));
            }
        }
    }
}
