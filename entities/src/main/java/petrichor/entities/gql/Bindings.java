package petrichor.entities.gql;

import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.GqlQueryParameter;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;

/** The binding values of a GQL text, {@code @name} or {@code @1}. Confined to one parse. */
final class Bindings {
    private final Map<String, GqlQueryParameter> named;
    private final List<GqlQueryParameter> positional;
    private final BitSet used = new BitSet();

    private Bindings(Map<String, GqlQueryParameter> named, List<GqlQueryParameter> positional) {
        this.named = named;
        this.positional = positional;
    }

    static Bindings of(GqlQuery gql) {
        for (String name : gql.getNamedBindingsMap().keySet()) {
            if (!name.matches("[A-Za-z_$][A-Za-z_$0-9]*") || name.matches("__.*__")) {
                throw PetrichorException.invalid(
                        "\"{name}\" cannot name a binding: use letters, digits, _ and $, no digit"
                                + " first, and not __…__",
                        "name",
                        name);
            }
        }
        return new Bindings(gql.getNamedBindingsMap(), gql.getPositionalBindingsList());
    }

    GqlQueryParameter find(Token site) {
        GqlQueryParameter parameter =
                Character.isDigit(site.text().charAt(0)) ? numbered(site) : named.get(site.text());
        if (parameter == null) {
            throw site.failure("there is no binding named " + site.text());
        }
        if (parameter.getParameterTypeCase()
                == GqlQueryParameter.ParameterTypeCase.PARAMETERTYPE_NOT_SET) {
            throw site.failure("the binding @" + site.text() + " has neither a value nor a cursor");
        }
        return parameter;
    }

    private GqlQueryParameter numbered(Token site) {
        int number;
        try {
            number = Integer.parseInt(site.text());
        } catch (NumberFormatException _) {
            throw site.failure("a binding is a number or a name that does not start with a digit");
        }
        if (number < 1 || number > positional.size()) {
            throw site.failure(
                    "there is no positional binding @"
                            + number
                            + "; the query came with "
                            + positional.size());
        }
        used.set(number - 1);
        return positional.get(number - 1);
    }

    void requireAllPositionalUsed() {
        int unused = used.nextClearBit(0);
        if (unused < positional.size()) {
            throw PetrichorException.invalid(
                    "the positional binding @{unused} is not used in the GQL query",
                    "unused",
                    unused + 1);
        }
    }
}
