// Seeded damage to files: what a bad disk, a cut connection or an enemy does to bytes.
#pragma once

#include "core/told_error.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace heed::test {

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    // A number in 0 … n − 1.
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

    // One to four kinds of damage, one after the other; `other` lends its parts to splices.
    std::string damage(std::string bytes, const std::string& other) {
        for (std::size_t rounds = 1 + below(4); rounds > 0; --rounds) damage_once(bytes, other);
        return bytes;
    }

private:
    void damage_once(std::string& bytes, const std::string& other) {
        // Half of the damage falls into the first 160 bytes, where headers are.
        const std::size_t reach = below(2) == 0 ? std::min<std::size_t>(bytes.size(), 160) : bytes.size();
        const std::size_t at = below(reach + 1);
        switch (below(8)) {
            case 0:  // flip a bit
                if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:  // cut the end off
                bytes.resize(at);
                break;
            case 2:  // lose a stretch
                bytes.erase(at, below(20));
                break;
            case 3: {  // gain a stretch of noise
                std::string noise(below(20), '\0');
                for (char& c : noise) c = static_cast<char>(random_());
                bytes.insert(at, noise);
                break;
            }
            case 4:  // the head of this and the tail of another
                bytes = bytes.substr(0, at) + other.substr(below(other.size() + 1));
                break;
            case 5:  // say a stretch again
                bytes.insert(at, bytes.substr(below(bytes.size() + 1), below(40)));
                break;
            case 6: {  // a number becomes another
                static constexpr std::string_view numbers[] = {"0",
                                                               "-1",
                                                               "1e999",
                                                               "18446744073709551616",
                                                               "9223372036854775807",
                                                               "4294967296",
                                                               "268435457",
                                                               "nan",
                                                               "",
                                                               "65535",
                                                               "1e-999",
                                                               "00000000000000000000000000001"};
                const std::size_t digit = bytes.find_first_of("0123456789", at);
                if (digit == std::string::npos) break;
                std::size_t end = bytes.find_first_not_of("0123456789", digit);
                if (end == std::string::npos) end = bytes.size();
                bytes.replace(digit, end - digit, numbers[below(std::size(numbers))]);
                break;
            }
            default: {  // a piece of syntax where it does not belong
                static constexpr std::string_view pieces[] = {
                    "(", ")",    ",",       "'",        "\"",           "{",    "}", ":", "\n", "\r", "\t", ";", "[",
                    "]", "True", "'shape'", "\xFF\xFE", "\xEF\xBB\xBF", "null", "="};
                bytes.insert(at, pieces[below(std::size(pieces))]);
            }
        }
    }

    std::mt19937 random_;
};

// What every error owes the user: one line of text that names the file, and the same in Chinese.
inline bool is_one_sentence(std::string_view sentence, std::string_view name) {
    return sentence.size() > name.size() + 4 && sentence.size() < 400 && sentence.starts_with(name) &&
           std::none_of(sentence.begin(), sentence.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; }) &&
           error_in_chinese(sentence).has_value();
}

}  // namespace heed::test
