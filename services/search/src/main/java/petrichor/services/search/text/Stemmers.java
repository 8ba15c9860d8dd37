package petrichor.services.search.text;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.NorwegianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;

/**
 * Stems of words, by language (Snowball). A word of a language without a stemmer is its own stem.
 * Confined to one thread.
 */
public final class Stemmers {
    private static final Map<String, Supplier<SnowballStemmer>> LANGUAGES =
            Map.ofEntries(
                    Map.entry("da", DanishStemmer::new),
                    Map.entry("de", GermanStemmer::new),
                    Map.entry("en", EnglishStemmer::new),
                    Map.entry("es", SpanishStemmer::new),
                    Map.entry("fi", FinnishStemmer::new),
                    Map.entry("fr", FrenchStemmer::new),
                    Map.entry("hu", HungarianStemmer::new),
                    Map.entry("it", ItalianStemmer::new),
                    Map.entry("nl", DutchStemmer::new),
                    Map.entry("no", NorwegianStemmer::new),
                    Map.entry("pt", PortugueseStemmer::new),
                    Map.entry("ro", RomanianStemmer::new),
                    Map.entry("ru", RussianStemmer::new),
                    Map.entry("sv", SwedishStemmer::new),
                    Map.entry("tr", TurkishStemmer::new));

    private final Map<String, SnowballStemmer> open = new HashMap<>();

    /** The code of the language's stemmer; null if there is none. */
    public static @Nullable String supported(String language) {
        String code = Folding.lower(language.length() > 2 ? language.substring(0, 2) : language);
        return LANGUAGES.containsKey(code) ? code : null;
    }

    public static Set<String> languages() {
        return LANGUAGES.keySet();
    }

    /**
     * @param word folded
     */
    public String stem(String language, String word) {
        String code = supported(language);
        if (code == null) {
            return word;
        }
        SnowballStemmer stemmer = open.get(code);
        if (stemmer == null) {
            Supplier<SnowballStemmer> supplier = LANGUAGES.get(code);
            if (supplier == null) {
                return word;
            }
            stemmer = supplier.get();
            open.put(code, stemmer);
        }
        stemmer.setCurrent(word);
        stemmer.stem();
        return stemmer.getCurrent();
    }
}
