//! Declarations of what there is: seats, goods, pieces, decks, state, boards, tables. What happens with them (turns,
//! actions, triggers …) is in `rules`.

use pest::iterators::Pair;

use super::ast::{
    Deck, Fog, Goods, Item, ItemKind, Mode, Name, OptionValue, Piece, PieceCount, Players, Text, Tokens, Track, Yields,
};
use super::diagnose::Place;
use super::grammar::Rule;
use super::parts::{Builder, Parts};

impl Builder<'_> {
    /// One item of the file; its doc lines are put in by the caller.
    pub fn item(&mut self, pair: Pair<'_, Rule>) -> Item {
        let mut parts = self.parts(pair);
        let span = parts.span;
        if let Some(bad) = parts.take(Rule::bad_item) {
            let outside = Self::is_statement(&bad);
            if !(outside && self.outside) {
                self.diagnose(&bad, Place::Item);
            }
            self.outside = outside;
            self.remember_broken(&bad);
            return Item { doc: None, mode: Mode::Declare, kind: ItemKind::Bad, span };
        }
        self.outside = false;
        let mode = match (parts.has(Rule::kw_change), parts.has(Rule::kw_drop)) {
            (true, _) => Mode::Change,
            (false, true) => Mode::Drop,
            (false, false) => Mode::Declare,
        };
        let declared = parts.pairs.pop();
        let kind = declared.map_or(ItemKind::Bad, |pair| {
            let rule = pair.as_rule();
            let mut parts = self.parts(pair);
            self.item_kind(rule, &mut parts)
        });
        Item { doc: None, mode, kind, span }
    }

    fn item_kind(&mut self, rule: Rule, parts: &mut Parts<'_>) -> ItemKind {
        match rule {
            Rule::seats_decl => ItemKind::Seats(self.names(parts)),
            Rule::option_decl => self.option(parts),
            Rule::goods_decl => self.goods(parts),
            Rule::group_decl => ItemKind::Group { name: self.name(parts), members: self.names(parts) },
            Rule::words_decl => ItemKind::Words { name: self.name(parts), members: self.names(parts) },
            Rule::limit_decl => {
                let name = parts.take(Rule::limit_name).map(|name| self.name_in(name));
                let count = self.next_expr(parts);
                ItemKind::Limit { name, count, group: self.name(parts), field: self.name(parts) }
            }
            Rule::terrain_decl => self.terrain(parts),
            Rule::piece_decl => self.piece(parts),
            Rule::cost_decl => ItemKind::Cost { name: self.name(parts), amount: self.some_expr(parts) },
            Rule::deck_decl | Rule::cards_decl => ItemKind::Deck(Deck {
                name: self.name(parts),
                columns: self.columns(parts),
                cards: self.card_list(parts),
                variants: self.deck_variants(parts),
                file: self.file(parts),
                played_to: self.only(parts, Rule::played_to).map(|played| self.name_in(played)),
                reshuffled: parts.has(Rule::reshuffled),
            }),
            Rule::each_decl | Rule::state_decl => ItemKind::State(self.state(parts, false)),
            Rule::this_turn_decl => ItemKind::State(self.state(parts, true)),
            Rule::board_decl => {
                let (name, players) = (self.name(parts), self.players(parts));
                let guard = self.expr_of(parts, Rule::guard);
                ItemKind::Board { name, players, guard, file: self.file_or_empty(parts) }
            }
            Rule::script_decl => {
                let name = self.name(parts);
                let empty = Text { text: String::new(), span: parts.span };
                ItemKind::Script { name, file: self.text(parts).unwrap_or(empty) }
            }
            Rule::tokens_decl => self.tokens(parts),
            Rule::cases_decl => {
                let name = self.name(parts);
                let mut cases = Vec::new();
                for case in parts.all(Rule::case_decl) {
                    let mut case = self.parts(case);
                    cases.push((self.name(&mut case), self.params(&mut case)));
                }
                ItemKind::Cases { name, cases }
            }
            Rule::track_decl => self.track(parts),
            Rule::fog_decl => self.fog(parts),
            Rule::dropped => {
                let mut words = self.words(parts);
                let kind =
                    if words.is_empty() { Name { text: String::new(), span: parts.span } } else { words.remove(0) };
                ItemKind::Dropped { kind, words }
            }
            _ => self.rule_kind(rule, parts),
        }
    }

    fn card_list(&mut self, parts: &mut Parts<'_>) -> Vec<(Name, Option<i64>)> {
        match parts.take(Rule::card_list) {
            Some(list) => {
                let mut list = self.parts(list);
                self.cards(&mut list)
            }
            None => Vec::new(),
        }
    }

    fn cards(&mut self, parts: &mut Parts<'_>) -> Vec<(Name, Option<i64>)> {
        let mut cards = Vec::new();
        for card in parts.all(Rule::card) {
            let mut card = self.parts(card);
            if let Some(name) = card.take(Rule::card_name) {
                cards.push((self.named(name), self.some_int(&mut card)));
            }
        }
        cards
    }

    fn deck_variants(&mut self, parts: &mut Parts<'_>) -> Vec<(Players, Vec<(Name, i64)>)> {
        let mut variants = Vec::new();
        for variant in parts.all(Rule::deck_variant) {
            let mut variant = self.parts(variant);
            if let Some(players) = self.players(&mut variant) {
                let cards = self.cards(&mut variant);
                variants.push((players, cards.into_iter().map(|(name, n)| (name, n.unwrap_or(1))).collect()));
            }
        }
        variants
    }

    /// `from "FILE"`
    fn file(&mut self, parts: &mut Parts<'_>) -> Option<Text> {
        let mut from = self.only(parts, Rule::from_file).map(|from| self.parts(from))?;
        self.text(&mut from)
    }

    fn file_or_empty(&mut self, parts: &mut Parts<'_>) -> Text {
        self.file(parts).unwrap_or(Text { text: String::new(), span: parts.span })
    }

    fn option(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let (name, about) = (self.name(parts), self.text(parts));
        let mut pairs = parts.all(Rule::option_value);
        if let Some(more) = parts.take(Rule::option_more) {
            pairs.extend(self.parts(more).all(Rule::option_value));
        }
        let mut values = Vec::new();
        for value in pairs {
            let mut value = self.parts(value);
            match value.take(Rule::option_range) {
                Some(range) => {
                    let mut range = self.parts(range);
                    let mut ends = Vec::new();
                    for end in range.all(Rule::option_bound) {
                        let mut end = self.parts(end);
                        let sign = if end.has(Rule::minus) { -1 } else { 1 };
                        ends.push(sign * self.next_int(&mut end));
                    }
                    if let [low, high] = ends[..] {
                        values.push(OptionValue::Range(low, high, range.span));
                    }
                }
                None => values.extend(self.words(&mut value).into_iter().map(OptionValue::Word)),
            }
        }
        ItemKind::Option { name, values, about }
    }

    fn goods(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let each = self.only(parts, Rule::each_count).map(|each| {
            let mut each = self.parts(each);
            self.next_int(&mut each)
        });
        ItemKind::Goods(Goods {
            name: self.name(parts),
            members: self.member_list(parts),
            each,
            home: self.only(parts, Rule::home).map(|home| self.name_in(home)),
            unseen: parts.has(Rule::unseen),
            returned_to: self.only(parts, Rule::returned_to).map(|to| self.name_in(to)),
            reshuffled: parts.has(Rule::reshuffled),
        })
    }

    fn terrain(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let any = parts.take(Rule::yields_any).map(|any| Yields::Any(self.name_in(any)));
        let yields = any.or_else(|| {
            let mut list = parts.take(Rule::yields).map(|list| self.parts(list))?;
            Some(Yields::Of(self.names(&mut list)))
        });
        ItemKind::Terrain { name: self.name(parts), yields }
    }

    fn piece(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let on = parts.take(Rule::piece_on).map(|on| self.name_in(on));
        let mut counts = Vec::new();
        for count in parts.all(Rule::piece_count) {
            let mut count = self.parts(count);
            let players = self.players(&mut count);
            counts.push(PieceCount {
                count: self.next_int(&mut count),
                each: count.has(Rule::kw_each),
                players,
                span: count.span,
            });
        }
        let (mut at_most, mut at_most_of_owner) = (None, None);
        if let Some(most) = parts.take(Rule::piece_most) {
            let mut most = self.parts(most);
            at_most = self.some_int(&mut most);
            if let Some(own) = most.take(Rule::piece_own) {
                let mut own = self.parts(own);
                at_most_of_owner = self.some_int(&mut own);
            }
        }
        ItemKind::Piece(Piece { name: self.name(parts), on, counts, at_most, at_most_of_owner })
    }

    fn tokens(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let there = self.only(parts, Rule::token_there).map(|there| {
            let mut there = self.parts(there);
            self.next_int(&mut there)
        });
        ItemKind::Tokens(Tokens {
            name: self.name(parts),
            columns: self.columns(parts),
            faces: self.card_list(parts),
            on: self.expr_of(parts, Rule::token_on),
            there,
            face_down: parts.has(Rule::face_down),
            file: self.file(parts),
        })
    }

    fn track(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let mut marks = Vec::new();
        if let Some(list) = parts.take(Rule::marks) {
            for mark in self.parts(list).all(Rule::mark) {
                let mut mark = self.parts(mark);
                if let Some(bad) = mark.take(Rule::bad_mark) {
                    self.diagnose(&bad, Place::Mark);
                    continue;
                }
                let name = self.name(&mut mark);
                let mut places = Vec::new();
                while let Some(place) = self.some_expr(&mut mark) {
                    places.push(place);
                }
                marks.push((name, places));
            }
        }
        let (name, each_player) = (self.name(parts), parts.has(Rule::each_player));
        let low = self.next_expr(parts);
        ItemKind::Track(Track { name, each_player, low, high: self.next_expr(parts), marks })
    }

    fn fog(&mut self, parts: &mut Parts<'_>) -> ItemKind {
        let mut areas = Vec::new();
        for area in parts.all(Rule::fog_area) {
            let mut area = self.parts(area);
            areas.push((self.name(&mut area), self.next_int(&mut area)));
        }
        let of = match parts.take(Rule::member_list) {
            Some(list) => {
                let mut list = self.parts(list);
                self.counted(&mut list)
            }
            None => Vec::new(),
        };
        let mut variants = Vec::new();
        for variant in parts.all(Rule::fog_variant) {
            let mut variant = self.parts(variant);
            let count = variant.take(Rule::fog_count).map(|count| {
                let mut count = self.parts(count);
                self.next_int(&mut count)
            });
            if let Some(players) = self.players(&mut variant) {
                variants.push((players, count, self.counted(&mut variant)));
            }
        }
        ItemKind::Fog(Fog { areas, of, variants })
    }
}
