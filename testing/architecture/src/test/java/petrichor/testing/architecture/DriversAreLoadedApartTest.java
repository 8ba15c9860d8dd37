package petrichor.testing.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreUrl;

/**
 * Checks that the bare drivers of benchmarks can be loaded beside the drivers of the stores'
 * plugins, where only the SPI is visible.
 */
final class DriversAreLoadedApartTest {
    private static final String DRIVERS = "petrichor.bench.drivers..";
    private static final String IMPLEMENTATIONS = "petrichor.bench.drivers.stores..";

    @Test
    void bareDriversKnowOnlyAddressesAndErrors() {
        noClasses()
                .that()
                .resideInAPackage(DRIVERS)
                .should()
                .dependOnClassesThat(
                        resideInAPackage("petrichor..")
                                .and(resideOutsideOfPackage(DRIVERS))
                                .and(not(belongToAnyOf(StoreUrl.class, PetrichorException.class))))
                .check(ArrowsPointDownTest.HOUSE);
    }

    @Test
    void theProgramKnowsOnlyTheirInterfaces() {
        noClasses()
                .that()
                .resideOutsideOfPackage(IMPLEMENTATIONS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(IMPLEMENTATIONS)
                .check(ArrowsPointDownTest.HOUSE);
    }
}
